#include "lab/proof/bench/shown.h"

#include <cmath>

#include "harness/options.h"
#include "timing/gpu.h"

namespace coalesce::proof {
namespace {

std::string format_shape_name(const Json& result) {
    return Shape{result.at("rows"), result.at("cols")}.name();
}

void add_if_square(std::map<int, Json>& results_by_side, const Json& results) {
    if (results.empty() || results[0]["rows"] != results[0]["cols"]) return;
    results_by_side[results[0]["rows"].get<int>()] = results;
}

ChartData make_measured_chart_data(const Json& measured) {
    ChartData chart_data{.results = measured.at("results"),
                         .gpu = measured["device"].value("name", ""),
                         .peak_gbps = measured["device"].value("peak_gbps", 5000.0)};
    add_if_square(chart_data.results_by_side, chart_data.results);
    for (const Json& size : measured.value("other_sizes", Json::array())) {
        add_if_square(chart_data.results_by_side, size.at("results"));
    }
    // Find the bandwidth of cudaMemcpy in the same run.
    for (const Json& result : chart_data.results) {
        if (result.value("variant", "") == "memcpy" && is_timed(result)) {
            chart_data.copy_gbps = result["gbps"];
            break;
        }
    }
    return chart_data;
}

/// Reports whether a row's time and bandwidth correspond to the number of bytes in a matrix of
/// floats.
bool has_float_elements(const Json& row) {
    const double bytes = 2.0 * sizeof(float) * row.value("rows", 0.0) * row.value("cols", 0.0);
    return std::abs(row.value("gbps", 0.0) * 1e6 * row.value("ms", 0.0) - bytes) < 0.01 * bytes;
}

/// Converts the predictions for float matrices, which every step accepts, to rows like those of
/// measurements.
Json extract_predicted_rows(const Json& results) {
    Json rows = Json::array();
    for (const Json& result : results) {
        if (!result.contains("predicted")) continue;
        Json row = result["predicted"];
        if (row.at("rows") != row.at("cols") || !has_float_elements(row)) continue;
        if (!rows.empty() && row["rows"] != rows[0]["rows"]) continue;
        row["step"] = result.at("step");
        row["variant"] = result.at("variant");
        row["verified"] = true;
        rows.push_back(row);
    }
    return rows;
}

ChartData make_predicted_chart_data(const Json& predicted) {
    ChartData chart_data{.results = extract_predicted_rows(predicted.at("results")),
                         .gpu = predicted.at("device").value("name", ""),
                         .is_predicted = true};
    add_if_square(chart_data.results_by_side, chart_data.results);
    for (const Json& size : predicted.value("other_sizes", Json::array())) {
        add_if_square(chart_data.results_by_side, extract_predicted_rows(size.at("results")));
    }
    const timing::Gpu& gpu = timing::find_gpu(chart_data.gpu);
    chart_data.copy_gbps = gpu.copy_gbps;
    chart_data.peak_gbps = gpu.peak_gbps;
    return chart_data;
}

}  // namespace

bool is_rival(const Json& result) {
    return result.value("step", "") == "rivals";
}

bool is_timed(const Json& result) {
    return result.contains("gbps") && result.value("verified", false);
}

std::string ChartData::source_label() const {
    return gpu + (is_predicted ? ", predicted" : ", measured");
}

std::string ChartData::caption() const {
    return gpu + ", " + format_shape_name(results.at(0)) + " floats, " +
           (is_predicted ? "predicted, not measured" : "measured");
}

double ChartData::axis_max_gbps() const {
    return 1000 * std::ceil(peak_gbps / 1000 + 0.01);
}

const Json* ChartData::row(const Json& result) const {
    const auto results_of_size = results_by_side.find(result.at("rows").get<int>());
    if (results_of_size == results_by_side.end() || result["rows"] != result["cols"])
        return nullptr;
    for (const Json& candidate : results_of_size->second) {
        if (candidate.at("step") == result.at("step") &&
            candidate.at("variant") == result.at("variant"))
            return &candidate;
    }
    return nullptr;
}

ChartDataAndPredictions select_chart_data(const ChartResults& results) {
    if (results.measured.is_null()) return {make_predicted_chart_data(results.predicted), {}};
    ChartDataAndPredictions chart_data{make_measured_chart_data(results.measured), {}};
    if (results.predicted.is_null()) return chart_data;
    if (results.predicted.at("device").value("name", "") == chart_data.shown.gpu) {
        chart_data.predicted = make_predicted_chart_data(results.predicted);
    }
    return chart_data;
}

}  // namespace coalesce::proof
