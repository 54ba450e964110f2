/// \file
/// The data that the charts show: the times measured by bench, and the predictions for the same
/// GPU.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "lab/proof/bench/charts.h"

namespace coalesce::proof {

/// The results that a chart shows, measured or predicted, and the GPU that they belong to.
struct ChartData {
    Json results = {};  ///< results with a "gbps" field, for the largest square
    std::map<int, Json> results_by_side = {};  ///< results for all squares, by side length
    std::string gpu = "";
    double copy_gbps = 0, peak_gbps = 0;
    bool is_predicted = false;

    std::string source_label() const;  ///< Returns a label such as "NVIDIA H200, measured".
    /// Returns the caption, such as "NVIDIA H200, 32768 x 32768 floats, measured".
    std::string caption() const;
    /// Returns the end of the axis in GB/s: the next multiple of 1000 above the peak.
    double axis_max_gbps() const;
    /// Returns the row that has the same variant and square size as `result`, or nullptr.
    const Json* row(const Json& result) const;
};

/// The data that a chart draws, and the predictions for the same GPU with which the chart compares
/// them. `predicted` is empty if `shown` itself contains predictions.
struct ChartDataAndPredictions {
    ChartData shown;
    std::optional<ChartData> predicted;
};

/// Selects the data and the predictions from `results`. Throws a JSON exception if a file does not
/// have the expected format.
ChartDataAndPredictions select_chart_data(const ChartResults& results);

bool is_rival(const Json& result);
/// Reports whether a result is correct and has a bandwidth.
bool is_timed(const Json& result);

}  // namespace coalesce::proof
