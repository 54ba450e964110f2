/// \file
/// Pictures of what was measured, from the JSON that bench writes.
#pragma once

#include <string>

#include "lab/proof/json_text.h"

namespace coalesce::proof {

/// What charts are made of: files of docs/results.
struct ChartResults {
    Json measured;   ///< what bench writes; null: only what is predicted is drawn, and called so
    Json simulated;  ///< what `learn run --device sim --json` writes
    Json predicted;  ///< what `learn results --again` writes; null: none. Of another GPU: left out
};

/// A bar for the headline of each step and for each rival, under the copy and the peak; on each bar what
/// was predicted, with its band.
std::string bandwidth_chart(const ChartResults& results);

/// Every variant: which part of the bytes that it moves is of use, against its bandwidth, under the line that
/// traffic alone would draw.
std::string sectors_chart(const ChartResults& results);

/// The headlines over square sizes; predicted as rings.
std::string sizes_chart(const ChartResults& results);

/// Writes the three into that folder: bandwidth.svg, sectors.svg, sizes.svg.
void draw_charts(const ChartResults& results, const std::string& folder);

}  // namespace coalesce::proof
