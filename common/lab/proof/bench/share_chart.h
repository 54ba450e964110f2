/// \file
/// Draws bar charts that compare several competitors. The length of a bar is the fraction of the
/// possible performance that a competitor reaches for an item.
#pragma once

#include <string>
#include <vector>

#include "lab/proof/json_text.h"

namespace coalesce::proof {

/// An item with a bar for each competitor. A share below 0 means that the competitor was not
/// measured.
struct Shares {
    std::string name;
    std::vector<double> fractions_of_compared;
};

/// The texts of a chart.
struct ShareTexts {
    std::string title, whole;           ///< `whole` says what 100 % is
    std::vector<std::string> compared;  ///< names of at most three competitors
};

/// Returns the chart as SVG.
std::string share_chart(const ShareTexts& texts, const std::vector<Shares>& things);

/// Returns a chart of coalesce::transpose and PyTorch, each relative to its own copy, from the
/// results of build/bin/shapes.
std::string shapes_chart(const Json& shapes);

/// Returns a chart of the ways to transpose across several GPUs. Each way is shown with its best
/// number of chunks, relative to the bandwidth of the link. Each element of `of_gpus` is the output
/// of 16_many_gpus --json for one number of GPUs.
std::string links_chart(const std::vector<Json>& of_gpus);

}  // namespace coalesce::proof
