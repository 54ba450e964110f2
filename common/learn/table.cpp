#include "learn/table.h"

#include <algorithm>
#include <iomanip>
#include <sstream>

#include "harness/predicted.h"
#include "learn/figures.h"

namespace coalesce::learn {
namespace {

constexpr int STEP_WIDTH = 14, VARIANT_WIDTH = 20;

// A name with at least one space after it.
std::string column(const std::string& text, int width) {
    std::string padded = text;
    padded.resize(std::max(padded.size() + 1, static_cast<size_t>(width)), ' ');
    return padded;
}

// Lines of at most 80 columns; those after the first are indented as far as `start` is long.
std::string wrapped(const std::string& start, const std::string& text) {
    std::string all, line = start;
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        if (line.size() + word.size() > 80) {
            all += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
            line = std::string(start.size(), ' ');
        }
        line += word + " ";
    }
    return all + line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
}

}  // namespace

Table::Table(std::ostream& out, const Json& device, bool is_predicted)
    : out(out),
      device_name(device.value("name", "a GPU")),
      simulated(device.value("kind", "") == "sim"),
      is_predicted(is_predicted && simulated) {}

void Table::print_head(const Json& first_result) {
    out << "Device: " << device_name << (simulated ? " (simulated)" : " (measured)") << "\n";
    out << "Matrix: " << shape_of(first_result) << " floats. "
        << (is_predicted ? "Counted; times are predicted, not measured.\n"
            : simulated  ? "Counted, not timed: a simulation has no bandwidth.\n"
                         : "GB/s are 10^9 bytes read + written per second.\n")
        << "\n";
    const std::string names = column("Step", STEP_WIDTH) + column("Variant", VARIANT_WIDTH);
    if (is_predicted) {
        out << column("", STEP_WIDTH + VARIANT_WIDTH) << "sectors/req.      bank        predicted\n"
            << names << "  load store conflicts       ms of copy result\n";
    } else if (simulated) {
        out << column("", STEP_WIDTH + VARIANT_WIDTH) << "sectors/request        bank       MB\n"
            << names << "   load  store   conflicts    moved    result\n";
    } else {
        out << names << "        ms      GB/s   of copy      result\n";
    }
    out << std::string(80, '-') << "\n";
}

void Table::print_row(const Json& result) {
    std::string step = result.value("step", "");
    out << column(step == last_step ? "" : step, STEP_WIDTH)
        << column(result.value("variant", ""), VARIANT_WIDTH);
    last_step = step;
    std::string reason = reason_of_skip(result);
    if (!reason.empty()) {
        out << "skipped [" << note(reason) << "]" << std::endl;
    } else if (is_predicted) {
        print_predicted(result);
    } else if (simulated) {
        print_simulated(result);
    } else {
        using std::setw;
        out << setw(10) << milliseconds(result) << setw(10) << gigabytes_per_second(result)
            << setw(10) << of_copy(result) << setw(12) << verdict(result) << std::endl;
    }
}

void Table::print_simulated(const Json& result) {
    using std::setw;
    out << setw(7) << sectors_per_request(result, "load") << setw(7)
        << sectors_per_request(result, "store") << setw(12) << bank_conflicts(result) << setw(9)
        << megabytes_moved(result) << setw(10) << verdict(result) << std::endl;
}

// Room for two more columns: nothing of what was moved.
void Table::print_predicted(const Json& result) {
    using std::setw;
    std::string ms = predicted_milliseconds(result);
    const std::string reason = reason_of_no_prediction(result);
    if (!reason.empty()) ms = "none [" + std::to_string(note("not predicted: " + reason)) + "]";
    out << setw(6) << sectors_per_request(result, "load") << setw(6)
        << sectors_per_request(result, "store") << setw(10) << bank_conflicts(result) << setw(9)
        << ms << setw(8) << (reason.empty() ? predicted_of_copy(result) : "") << setw(7)
        << verdict(result) << std::endl;
    if (!result.contains("predicted")) return;
    last_predicted = result["predicted"];
    error_band = std::max(error_band, last_predicted.value("error_band", 0.0));
    has_unknown |= !last_predicted.at("unknown").empty();
}

void Table::print_note_on_predictions() const {
    if (last_predicted.is_null()) return;
    out << "\n"
        << wrapped("", note_on_predictions(last_predicted.value("gpu", "a GPU"),
                                           last_predicted.value("measured_gpu", false),
                                           shape_of(last_predicted), error_band));
    if (has_unknown) {
        out << wrapped("? ",
                       "the model says that it does not know all of this one: the error may be "
                       "larger (--json tells what it does not know)");
    }
}

size_t Table::note(const std::string& reason) {
    auto known = std::ranges::find(notes, reason);
    if (known == notes.end()) known = notes.insert(notes.end(), reason);
    return static_cast<size_t>(known - notes.begin()) + 1;
}

void Table::print_notes() {
    print_note_on_predictions();
    for (size_t i = 0; i < notes.size(); ++i) {
        out << (i == 0 ? "\n" : "") << wrapped("[" + std::to_string(i + 1) + "] ", notes[i]);
    }
}

void Table::print_failure(const std::string& step, const std::string& why) {
    last_step = step;
    out << column(step, STEP_WIDTH) << why << std::endl;
}

}  // namespace coalesce::learn
