#include "lab/proof/bench/results.h"

#include <algorithm>

#include "harness/text.h"

namespace coalesce::proof {
namespace {

/// Returns the index of the main results: those of the largest square or, if there is none, of the
/// largest matrix.
std::size_t find_main_size_index(const std::vector<SizeResults>& sizes) {
    const auto size_rank = [](const SizeResults& size) {
        const bool is_square = size.shape.rows == size.shape.cols;
        return std::pair(is_square, 1LL * size.shape.rows * size.shape.cols);
    };
    const auto largest_size = std::ranges::max_element(sizes, {}, size_rank);
    return static_cast<std::size_t>(largest_size - sizes.begin());
}

/// Rounds to six significant digits. Measurements are less precise than that.
double round_to_six_digits(double value) {
    return std::stod(format("%.6g", value));
}

Json format_entry(const SizeResults& size, const VariantResult& entry) {
    Json json{{"step", entry.step_name},
              {"variant", entry.variant},
              {"rows", size.shape.rows},
              {"cols", size.shape.cols}};
    if (entry.element_size != 4) json["element_size"] = entry.element_size;
    if (!entry.permuted_axes.empty()) json["array"] = entry.permuted_axes;
    if (!entry.reason_for_skipping.empty()) {
        json["skipped"] = entry.reason_for_skipping;
        return json;
    }
    json["verified"] = entry.is_verified();
    if (!entry.output_error.empty()) json["wrong"] = entry.output_error;
    if (!entry.is_timed()) return json;
    const Timing timing = entry.timing();
    json["ms"] = round_to_six_digits(timing.ms);
    json["gbps"] = round_to_six_digits(entry.gbps());
    const double copy_gbps = entry.copy_gbps > 0 ? entry.copy_gbps : size.copy_gbps();
    if (copy_gbps > 0) json["of_copy"] = round_to_six_digits(entry.gbps() / copy_gbps);
    json["spread"] = round_to_six_digits(timing.spread);
    json["best_ms"] = round_to_six_digits(*std::ranges::min_element(entry.ms));
    json["launches"] = timing.repetitions;
    return json;
}

/// Appends the results of a size to `json`.
Json append_results(Json json, const SizeResults& size) {
    json["copy_gbps"] = round_to_six_digits(size.copy_gbps());
    json["clocks"] = size.clock_rates;
    json["results"] = Json::array();
    for (const VariantResult& entry : size.entries)
        json["results"].push_back(format_entry(size, entry));
    return json;
}

Json format_device(const Device& device) {
    return {{"name", device.name},
            {"kind", "gpu"},
            {"compute", device.compute},
            {"driver", device.driver},
            {"peak_gbps", round_to_six_digits(device.peak_gbps)}};
}

std::string format_short_name(Shape shape) {
    const auto format_side = [](int side_length) {
        return side_length % 1024 == 0 ? std::to_string(side_length / 1024) + "K"
                                       : std::to_string(side_length);
    };
    if (shape.rows == shape.cols) return std::to_string(shape.rows);
    return format_side(shape.rows) + "x" + format_side(shape.cols);
}

std::string format_cell(const VariantResult& entry) {
    if (!entry.output_error.empty()) return "WRONG";
    return entry.is_timed() ? format("%.0f", entry.gbps()) : "-";
}

}  // namespace

double SizeResults::copy_gbps() const {
    for (const VariantResult& entry : entries) {
        if (entry.variant == "memcpy" && entry.is_timed()) return entry.gbps();
    }
    return 0;
}

Json to_json(const Device& device, const std::vector<SizeResults>& sizes, const Json& run) {
    const std::size_t main_size_index = find_main_size_index(sizes);
    Json json =
        append_results({{"device", format_device(device)}, {"run", run}}, sizes[main_size_index]);
    json["other_sizes"] = Json::array();
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (i == main_size_index) continue;
        const Shape shape = sizes[i].shape;
        json["other_sizes"].push_back(
            append_results({{"rows", shape.rows}, {"cols", shape.cols}}, sizes[i]));
    }
    return json;
}

std::string to_table(const std::vector<SizeResults>& sizes) {
    std::string text = format("%-31s", "GB/s (10^9, read + written)");
    for (const SizeResults& size : sizes)
        text += format("%8s", format_short_name(size.shape).c_str());
    text += "\n";
    for (std::size_t i = 0; i < sizes.front().entries.size(); ++i) {
        const VariantResult& first_entry = sizes.front().entries[i];
        text += format("%-13s%-18s", first_entry.step_name.c_str(), first_entry.variant.c_str());
        for (const SizeResults& size : sizes)
            text += format("%8s", format_cell(size.entries[i]).c_str());
        text += "\n";
    }
    return text;
}

std::string list_wrong_outputs(const std::vector<SizeResults>& sizes) {
    std::string text;
    for (const SizeResults& size : sizes) {
        for (const VariantResult& entry : size.entries) {
            if (entry.output_error.empty()) continue;
            text += entry.step_name + " " + entry.variant + " at " + size.shape.name() +
                    " is wrong:\n" + wrap(entry.output_error);
        }
    }
    return text;
}

}  // namespace coalesce::proof
