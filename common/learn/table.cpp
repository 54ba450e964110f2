#include "learn/table.h"

#include <algorithm>
#include <iomanip>
#include <sstream>

#include "learn/figures.h"

namespace coalesce::learn {
namespace {

constexpr int STEP_WIDTH = 14, VARIANT_WIDTH = 20;

std::string shape_of(const Json& result) {
    return std::to_string(result.value("rows", 0)) + " x " +
           std::to_string(result.value("cols", 0));
}

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

Table::Table(std::ostream& out, const Json& device)
    : out(out),
      device_name(device.value("name", "a GPU")),
      simulated(device.value("kind", "") == "sim") {}

void Table::print_head(const Json& first_result) {
    out << "Device: " << device_name << (simulated ? " (simulated)" : " (measured)") << "\n";
    out << "Matrix: " << shape_of(first_result) << " floats. "
        << (simulated ? "Counted, not timed: a simulation has no bandwidth.\n"
                      : "GB/s are 10^9 bytes read + written a second.\n")
        << "\n";
    if (simulated) {
        out << column("", STEP_WIDTH + VARIANT_WIDTH) << "sectors/request        bank       MB\n"
            << column("Step", STEP_WIDTH) << column("Variant", VARIANT_WIDTH)
            << "   load  store   conflicts    moved    result\n";
    } else {
        out << column("Step", STEP_WIDTH) << column("Variant", VARIANT_WIDTH)
            << "        ms      GB/s   of copy      result\n";
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
        return;
    }
    using std::setw;
    if (simulated) {
        out << setw(7) << sectors_per_request(result, "load") << setw(7)
            << sectors_per_request(result, "store") << setw(12) << bank_conflicts(result) << setw(9)
            << megabytes_moved(result) << setw(10) << verdict(result) << std::endl;
    } else {
        out << setw(10) << milliseconds(result) << setw(10) << gigabytes_per_second(result)
            << setw(10) << of_copy(result) << setw(12) << verdict(result) << std::endl;
    }
}

size_t Table::note(const std::string& reason) {
    auto known = std::ranges::find(notes, reason);
    if (known == notes.end()) known = notes.insert(notes.end(), reason);
    return static_cast<size_t>(known - notes.begin()) + 1;
}

void Table::print_notes() {
    for (size_t i = 0; i < notes.size(); ++i) {
        out << (i == 0 ? "\n" : "") << wrapped("[" + std::to_string(i + 1) + "] ", notes[i]);
    }
}

void Table::print_failure(const std::string& step, const std::string& why) {
    last_step = step;
    out << column(step, STEP_WIDTH) << why << std::endl;
}

}  // namespace coalesce::learn
