#include <algorithm>

#include "harness/result.h"
#include "harness/text.h"
#include "timing/words.h"

namespace coalesce {
namespace {

std::string pad(const std::string& text, int width) {
    return format("%-*s", width, text.c_str());
}

/// Formats the number of sectors per request, such as "4", "1.5" or "32".
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

/// Formats a row with narrower columns and the prediction. A time such as "0.0213?" means that the
/// model lacks information about this kernel.
std::string predicted_columns(const Result& result) {
    std::string conflicts_text = "-", load_text = "-", store_text = "-";
    if (result.counters) {
        const Counters& counters = *result.counters;
        load_text = ratio(counters.load_sectors, counters.load_requests);
        store_text = ratio(counters.store_sectors, counters.store_requests);
        conflicts_text = std::to_string(counters.bank_conflicts());
    }
    std::string ms_text = "-", copy_fraction = "-";
    if (result.predicted) {
        ms_text = format("%.4f", result.predicted->ms);
        copy_fraction = format("%.0f %%", 100 * result.predicted->fraction_of_copy());
        if (!result.predicted->unknown().empty()) ms_text += "?";
    }
    return format("%6s %6s %11s %10s %8s", load_text.c_str(), store_text.c_str(),
                  conflicts_text.c_str(), ms_text.c_str(), copy_fraction.c_str());
}

std::string percent(double value, double total) {
    return value > 0 && total > 0 ? format("%.1f %%", 100 * value / total) : "-";
}

std::string time_columns(const Result& result, double copy_gbps, double peak_gbps) {
    if (!result.timing) return format("%10s %9s %9s %9s", "-", "-", "-", "-");
    return format("%10.4f %9.1f %9s %9s", result.timing->ms, result.gbps(),
                  percent(result.gbps(), copy_gbps).c_str(),
                  percent(result.gbps(), peak_gbps).c_str());
}

}  // namespace

double Result::gbps() const {
    if (!timing) return 0;
    const double moved_bytes = bytes ? static_cast<double>(bytes)
                                     : useful_bytes(shape, variant ? variant->element_size : 4);
    return moved_bytes / (timing->ms * 1e-3) / 1e9;
}

Table::Table(const Device& device, bool is_measured, const std::vector<const Variant*>& variants,
             bool is_predicted)
    : device_(device), is_measured_(is_measured), is_predicted_(is_predicted), name_width_(12) {
    for (const Variant* variant : variants) {
        name_width_ = std::max(name_width_, static_cast<int>(variant->name.size()));
    }
    name_width_ = std::min(name_width_, 18);
}

std::string Table::head() const {
    const std::string name = pad("variant", name_width_);
    if (!is_measured_) return name + "  verified\n";
    if (is_predicted_) {
        return pad("", name_width_) +
               format("  %13s %11s %19s\n", "sectors/req.", "bank", "predicted") + name +
               format("  %6s %6s %11s %10s %8s", "load", "store", "conflicts", "ms", "of copy") +
               "  verified\n";
    }
    if (device_.simulated) {
        return pad("", name_width_) + format("  %21s %12s\n", "sectors per request", "bank") +
               name + format("  %10s %10s %12s %10s", "load", "store", "conflicts", "MB moved") +
               "  verified\n";
    }
    return name + format("  %10s %9s %9s %9s", "ms", "GB/s", "of copy", "of peak") + "  verified\n";
}

std::string Table::format_columns(const Result& result, double copy_gbps) const {
    if (!is_measured_) return "";
    if (is_predicted_) return predicted_columns(result) + "  ";
    if (device_.simulated) return counter_columns(result) + "  ";
    return time_columns(result, copy_gbps, device_.peak_gbps) + "  ";
}

std::string Table::row(const Result& result, double copy_gbps) const {
    std::string name = result.variant->name;
    std::string row;
    // A name that is longer than its column goes on a separate line.
    if (static_cast<int>(name.size()) > name_width_) {
        row = name + "\n";
        name.clear();
    }
    row += pad(name, name_width_) + "  " + format_columns(result, copy_gbps) + verdict(result);
    if (!is_measured_ && result.outcome == Outcome::verified) {
        row += ", on " + format_count(result.shapes_verified, "shape");
    }
    row += "\n";
    if (result.outcome == Outcome::skipped) row += wrap(result.reason, "    ");
    return row;
}

std::string notes_on_predictions(const std::vector<Result>& results) {
    std::string text, missing_reasons;
    double band = 0;
    const Predicted* last_prediction = nullptr;
    std::vector<timing::Unknown> unknown;
    for (const Result& result : results) {
        if (!result.not_predicted.empty()) {
            missing_reasons +=
                wrap("Not predicted: " + result.variant->name + ": " + result.not_predicted);
        }
        if (!result.predicted) continue;
        last_prediction = &*result.predicted;
        band = std::max(band, last_prediction->error_band);
        for (const timing::Unknown effect : last_prediction->unknown()) {
            if (std::find(unknown.begin(), unknown.end(), effect) == unknown.end())
                unknown.push_back(effect);
        }
    }
    if (last_prediction) {
        text += wrap(note_on_predictions(last_prediction->gpu, last_prediction->measured_gpu,
                                         last_prediction->shape.name(), band));
    }
    for (const timing::Unknown effect : unknown) {
        text += wrap("?: the model does not know " + timing::phrase_for(effect) +
                     ", so the error may be larger");
    }
    return text + missing_reasons;
}

}  // namespace coalesce
