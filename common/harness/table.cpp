#include <algorithm>

#include "harness/result.h"
#include "harness/text.h"

namespace coalesce {
namespace {

std::string padded(const std::string& text, int width) {
    return format("%-*s", width, text.c_str());
}

/// "4", "1.5", "32": sectors a request.
std::string ratio(std::uint64_t total, std::uint64_t requests) {
    if (requests == 0) return "-";
    return format("%.4g", static_cast<double>(total) / static_cast<double>(requests));
}

std::string verdict(const Result& result) {
    switch (result.outcome) {
        case Outcome::verified: return result.variant->keeps_nan_payloads ? "yes" : "yes (any NaN)";
        case Outcome::wrong: return "WRONG";
        case Outcome::skipped: return "skipped";
    }
    return "";
}

std::string counter_columns(const Result& result) {
    if (!result.counters) return format("%10s %10s %12s %10s", "-", "-", "-", "-");
    const Counters& counters = *result.counters;
    return format("%10s %10s %12llu %10.2f",
                  ratio(counters.load_sectors, counters.load_requests).c_str(),
                  ratio(counters.store_sectors, counters.store_requests).c_str(),
                  static_cast<unsigned long long>(counters.bank_conflicts()),
                  static_cast<double>(counters.bytes_moved()) / 1e6);
}

std::string percent(double value, double of) {
    return value > 0 && of > 0 ? format("%.1f %%", 100 * value / of) : "-";
}

std::string time_columns(const Result& result, const Reference& reference, double peak) {
    if (!result.timing) return format("%10s %9s %9s %9s", "-", "-", "-", "-");
    return format("%10.4f %9.1f %9s %9s", result.timing->ms, result.gbps(),
                  percent(result.gbps(), reference.copy_gbps).c_str(),
                  percent(result.gbps(), peak).c_str());
}

}  // namespace

double Result::gbps() const {
    if (!timing) return 0;
    const double moved = elements ? static_cast<double>(elements) : 1.0 * shape.rows * shape.cols;
    const double bytes = 2.0 * (variant ? variant->element_size : 4) * moved;
    return bytes / (timing->ms * 1e-3) / 1e9;
}

Table::Table(const Device& device, bool is_measured, const std::vector<const Variant*>& variants)
    : device_(device), is_measured_(is_measured), name_width_(12) {
    for (const Variant* variant : variants) {
        name_width_ = std::max(name_width_, static_cast<int>(variant->name.size()));
    }
    name_width_ = std::min(name_width_, 18);
}

std::string Table::head() const {
    const std::string name = padded("variant", name_width_);
    if (!is_measured_) return name + "  verified\n";
    if (device_.simulated) {
        return padded("", name_width_) + format("  %21s %12s\n", "sectors a request", "bank") +
               name + format("  %10s %10s %12s %10s", "load", "store", "conflicts", "MB moved") +
               "  verified\n";
    }
    return name + format("  %10s %9s %9s %9s", "ms", "GB/s", "of copy", "of peak") + "  verified\n";
}

std::string Table::columns_of(const Result& result, const Reference& reference) const {
    if (!is_measured_) return "";
    if (device_.simulated) return counter_columns(result) + "  ";
    return time_columns(result, reference, device_.peak_gbps) + "  ";
}

std::string Table::row(const Result& result, const Reference& reference) const {
    std::string name = result.variant->name;
    std::string row;
    // A name that is too long for its column gets a line of its own.
    if (static_cast<int>(name.size()) > name_width_) {
        row = name + "\n";
        name.clear();
    }
    row += padded(name, name_width_) + "  " + columns_of(result, reference) + verdict(result);
    if (!is_measured_ && result.outcome == Outcome::verified) {
        row += ", on " + count_of(static_cast<std::uint64_t>(result.shapes_verified), "shape");
    }
    row += "\n";
    if (result.outcome == Outcome::skipped) row += wrap(result.reason, "    ");
    return row;
}

}  // namespace coalesce
