#include "lab/proof/bench/results.h"

#include <algorithm>

#include "harness/text.h"

namespace coalesce::proof {
namespace {

/// Returns the index of the main results: those of the largest square or, if there is none, of the
/// largest matrix.
std::size_t main_results_index(const std::vector<SizeResults>& sizes) {
    const auto rank = [](const SizeResults& size) {
        const bool is_square = size.shape.rows == size.shape.cols;
        return std::pair(is_square, 1LL * size.shape.rows * size.shape.cols);
    };
    const auto best = std::ranges::max_element(sizes, {}, rank);
    return static_cast<std::size_t>(best - sizes.begin());
}

/// Rounds to six significant digits. Measurements are less precise than that.
double rounded(double value) {
    return std::stod(format("%.6g", value));
}

Json entry_json(const SizeResults& size, const VariantResult& entry) {
    Json json{{"step", entry.step},
              {"variant", entry.variant},
              {"rows", size.shape.rows},
              {"cols", size.shape.cols}};
    if (entry.element_size != 4) json["element_size"] = entry.element_size;
    if (!entry.array.empty()) json["array"] = entry.array;
    if (!entry.skipped.empty()) {
        json["skipped"] = entry.skipped;
        return json;
    }
    json["verified"] = entry.is_verified();
    if (!entry.wrong.empty()) json["wrong"] = entry.wrong;
    if (!entry.is_timed()) return json;
    const Timing timing = entry.timing();
    json["ms"] = rounded(timing.ms);
    json["gbps"] = rounded(entry.gbps());
    const double copy_gbps = entry.copy_gbps > 0 ? entry.copy_gbps : size.copy_gbps();
    if (copy_gbps > 0) json["of_copy"] = rounded(entry.gbps() / copy_gbps);
    json["spread"] = rounded(timing.spread);
    json["best_ms"] = rounded(*std::ranges::min_element(entry.ms));
    json["launches"] = timing.repetitions;
    return json;
}

/// Appends the results of a size to `json`.
Json with_results(Json json, const SizeResults& size) {
    json["copy_gbps"] = rounded(size.copy_gbps());
    json["clocks"] = size.clocks;
    json["results"] = Json::array();
    for (const VariantResult& entry : size.entries)
        json["results"].push_back(entry_json(size, entry));
    return json;
}

Json device_json(const Device& device) {
    return {{"name", device.name},
            {"kind", "gpu"},
            {"compute", device.compute},
            {"driver", device.driver},
            {"peak_gbps", rounded(device.peak_gbps)}};
}

std::string short_name(Shape shape) {
    const auto side = [](int length) {
        return length % 1024 == 0 ? std::to_string(length / 1024) + "K" : std::to_string(length);
    };
    if (shape.rows == shape.cols) return std::to_string(shape.rows);
    return side(shape.rows) + "x" + side(shape.cols);
}

std::string cell(const VariantResult& entry) {
    if (!entry.wrong.empty()) return "WRONG";
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
    const std::size_t main_size = main_results_index(sizes);
    Json json = with_results({{"device", device_json(device)}, {"run", run}}, sizes[main_size]);
    json["other_sizes"] = Json::array();
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (i == main_size) continue;
        const Shape shape = sizes[i].shape;
        json["other_sizes"].push_back(
            with_results({{"rows", shape.rows}, {"cols", shape.cols}}, sizes[i]));
    }
    return json;
}

std::string to_table(const std::vector<SizeResults>& sizes) {
    std::string text = format("%-31s", "GB/s (10^9, read + written)");
    for (const SizeResults& size : sizes) text += format("%8s", short_name(size.shape).c_str());
    text += "\n";
    for (std::size_t i = 0; i < sizes.front().entries.size(); ++i) {
        const VariantResult& first = sizes.front().entries[i];
        text += format("%-13s%-18s", first.step.c_str(), first.variant.c_str());
        for (const SizeResults& size : sizes) text += format("%8s", cell(size.entries[i]).c_str());
        text += "\n";
    }
    return text;
}

std::string list_wrong_outputs(const std::vector<SizeResults>& sizes) {
    std::string text;
    for (const SizeResults& size : sizes) {
        for (const VariantResult& entry : size.entries) {
            if (entry.wrong.empty()) continue;
            text += entry.step + " " + entry.variant + " at " + size.shape.name() + " is wrong:\n" +
                    wrap(entry.wrong);
        }
    }
    return text;
}

}  // namespace coalesce::proof
