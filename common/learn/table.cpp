#include "learn/table.h"

#include <algorithm>
#include <iomanip>

#include "base/text.h"
#include "harness/predicted.h"
#include "harness/text.h"
#include "learn/figures.h"

namespace coalesce::learn {
namespace {

constexpr int kStepWidth = 14, kVariantWidth = 20;

// Pads a string to the width of a column. Adds at least one space.
std::string column(const std::string& text, int width) {
    std::string padded = text;
    padded.resize(std::max(padded.size() + 1, static_cast<size_t>(width)), ' ');
    return padded;
}

}  // namespace

Table::Table(std::ostream& out, const Json& device, bool is_predicted)
    : out_(out),
      device_name_(device.value("name", "a GPU")),
      simulated_(device.value("kind", "") == "sim"),
      is_predicted_(is_predicted && simulated_) {}

void Table::print_head(const Json& first_result) {
    out_ << "Device: " << device_name_ << (simulated_ ? " (simulated)" : " (measured)") << "\n";
    last_shape_ = format_shape(first_result);
    out_ << "Matrix: " << last_shape_ << " floats. "
         << (is_predicted_ ? "Costs are counted; times are only predicted.\n"
             : simulated_  ? "The simulated GPU counts costs, not times.\n"
                           : "One GB/s is 10^9 bytes read + written per second.\n")
         << "\n";
    const std::string names = column("Step", kStepWidth) + column("Variant", kVariantWidth);
    if (is_predicted_) {
        out_ << column("", kStepWidth + kVariantWidth)
             << "sectors/req.      bank        predicted\n"
             << names << "  load store conflicts       ms of copy result\n";
    } else if (simulated_) {
        out_ << column("", kStepWidth + kVariantWidth) << "sectors/request        bank       MB\n"
             << names << "   load  store   conflicts    moved    result\n";
    } else {
        out_ << names << "        ms      GB/s   of copy      result\n";
    }
    out_ << std::string(80, '-') << "\n";
}

void Table::print_row(const Json& result) {
    std::string step = result.value("step", "");
    std::string reason = skip_reason(result);
    if (const std::string shape = format_shape(result); reason.empty() && shape != last_shape_) {
        out_ << column("", kStepWidth) << "Matrix: " << shape << " floats\n";
        last_shape_ = shape;
    }
    out_ << column(step == last_step_ ? "" : step, kStepWidth)
         << column(result.value("variant", ""), kVariantWidth);
    last_step_ = step;
    if (!reason.empty()) {
        out_ << "skipped [" << note(reason) << "]" << std::endl;
    } else if (is_predicted_) {
        print_predicted(result);
    } else if (simulated_) {
        print_simulated(result);
    } else {
        using std::setw;
        out_ << setw(10) << milliseconds(result) << setw(10) << gigabytes_per_second(result)
             << setw(10) << format_percent_of_copy(result) << setw(12) << verdict_word(result)
             << std::endl;
    }
}

void Table::print_simulated(const Json& result) {
    using std::setw;
    out_ << setw(7) << sectors_per_request(result, "load") << setw(7)
         << sectors_per_request(result, "store") << setw(12) << bank_conflicts(result) << setw(9)
         << megabytes_moved(result) << setw(10) << verdict_word(result) << std::endl;
}

// Prints a row with predicted times. They use the column that otherwise shows the megabytes moved.
void Table::print_predicted(const Json& result) {
    using std::setw;
    std::string ms = predicted_milliseconds(result);
    const std::string reason = result.value("not_predicted", "");
    if (!reason.empty()) ms = "none [" + std::to_string(note("not predicted: " + reason)) + "]";
    out_ << setw(6) << sectors_per_request(result, "load") << setw(6)
         << sectors_per_request(result, "store") << setw(10) << bank_conflicts(result) << setw(9)
         << ms << setw(8) << (reason.empty() ? format_predicted_percent(result) : "") << setw(7)
         << verdict_word(result) << std::endl;
    if (!result.contains("predicted")) return;
    last_predicted_ = result["predicted"];
    std::string shape = format_shape(last_predicted_);
    if (!predicted_shapes_.empty() && shape != predicted_shapes_.front()) {
        shape += " (" + result.value("step", "") + ")";
    }
    if (std::ranges::count(predicted_shapes_, shape) == 0) predicted_shapes_.push_back(shape);
    error_band_ = std::max(error_band_, last_predicted_.value("error_band", 0.0));
    has_unknown_ |= !last_predicted_.at("unknown").empty();
}

void Table::print_note_on_predictions() const {
    if (last_predicted_.is_null()) return;
    out_ << "\n"
         << wrap(note_on_predictions(last_predicted_.value("gpu", "a GPU"),
                                     last_predicted_.value("measured_gpu", false),
                                     joined(predicted_shapes_, " and "), error_band_));
    if (has_unknown_) {
        out_ << wrap_with_hanging_indent(
            "? ",
            "the model does not cover everything in this kernel, so the error may be larger "
            "(--json lists what is not covered)");
    }
}

size_t Table::note(const std::string& reason) {
    auto note = std::ranges::find(notes_, reason);
    if (note == notes_.end()) note = notes_.insert(notes_.end(), reason);
    return static_cast<size_t>(note - notes_.begin()) + 1;
}

void Table::print_notes() {
    print_note_on_predictions();
    for (size_t i = 0; i < notes_.size(); ++i) {
        out_ << (i == 0 ? "\n" : "")
             << wrap_with_hanging_indent("[" + std::to_string(i + 1) + "] ", notes_[i]);
    }
}

void Table::print_failure(const std::string& step, const std::string& why) {
    last_step_ = step;
    out_ << column(step, kStepWidth) << why << std::endl;
}

}  // namespace coalesce::learn
