/// \file
/// Draws charts of the results that bench writes as JSON.
#pragma once

#include <string>

#include "lab/proof/json_text.h"

namespace coalesce::proof {

/// The data of the charts, from files in docs/results.
struct ChartResults {
    /// The JSON that bench writes, or null. If it is null, the charts show only predicted values,
    /// and say so.
    Json measured;
    Json simulated;  ///< the JSON that `learn run --device sim --json` writes
    /// The JSON that `learn results --again` writes, or null. Predictions for a GPU other than the
    /// charts' GPU are ignored.
    Json predicted;
};

/// Returns a chart of bandwidths, with a bar for each step and each rival. Lines show the bandwidth
/// of a copy and the GPU's peak. A mark on each bar shows the prediction with its error band.
std::string draw_bandwidth_chart(const ChartResults& results);

/// Returns a scatter chart with a point for each variant. x is the useful fraction of the bytes
/// that the variant moves, and y is the bandwidth.
std::string draw_sectors_chart(const ChartResults& results);

/// Returns a chart of the bandwidths of the headline kernels, by the side length of the square
/// matrix. Predictions are drawn as rings.
std::string draw_sizes_chart(const ChartResults& results);

/// Writes the three charts to `folder`: bandwidth.svg, sectors.svg, sizes.svg.
void draw_charts(const ChartResults& results, const std::string& folder);

}  // namespace coalesce::proof
