/// \file
/// Pictures of what was measured, from the JSON that bench writes.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace coalesce::proof {

using Json = nlohmann::ordered_json;

/// A bar for the headline of each step and for each rival, under the copy and the peak.
std::string bandwidth_chart(const Json& measured);

/// Every variant: which part of the bytes that it moves is of use (`simulated`: what `learn run
/// --device sim --json` wrote), against its bandwidth, under the line that traffic alone would draw.
std::string sectors_chart(const Json& measured, const Json& simulated);

/// The headlines over square sizes.
std::string sizes_chart(const Json& measured);

/// Writes the three into that folder: bandwidth.svg, sectors.svg, sizes.svg.
void draw_charts(const Json& measured, const Json& simulated, const std::string& folder);

}  // namespace coalesce::proof
