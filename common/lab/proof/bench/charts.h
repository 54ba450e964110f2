/// \file
/// Draws charts of the results that bench writes as JSON.
#pragma once

#include <string>

#include "lab/proof/json_text.h"

namespace coalesce::proof {

/// The data of the charts, from files in docs/results.
struct ChartResults {
    /// The JSON that bench writes. If it is null, the charts show only predictions, and label them
    /// as such.
    Json measured;
    Json simulated;  ///< the JSON that `learn run --device sim --json` writes
    /// The JSON that `learn results --again` writes; null if there is none. Predictions for another
    /// GPU are ignored.
    Json predicted;
};

/// Returns a chart of bandwidths. It has a bar for the fastest variant of each step and for each
/// rival, and lines for the bandwidth of a copy and for the GPU's peak bandwidth. A mark on each bar
/// shows the prediction with its error band.
std::string bandwidth_chart(const ChartResults& results);

/// Returns a scatter chart of the variants: x is the useful fraction of the bytes that a variant
/// moves, y its bandwidth. A line shows the bandwidth of kernels limited only by traffic.
std::string sectors_chart(const ChartResults& results);

/// Returns a chart that plots the bandwidth of the headline kernels against the side of the square
/// matrix. Predictions are drawn as rings.
std::string sizes_chart(const ChartResults& results);

/// Writes the three charts to `folder`: bandwidth.svg, sectors.svg, sizes.svg.
void draw_charts(const ChartResults& results, const std::string& folder);

}  // namespace coalesce::proof
