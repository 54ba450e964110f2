/// \file
/// Draws bar charts that compare several competitors. Each bar shows a competitor's performance on
/// one item, such as a shape, as a fraction of what is attainable.
#pragma once

#include <string>
#include <vector>

#include "lab/proof/json_text.h"

namespace coalesce::proof {

/// An item of a chart, with a bar for each competitor. A fraction below 0 means that the competitor
/// was not measured.
struct ShareChartItem {
    std::string name;
    std::vector<double> fraction_by_competitor;
};

struct ShareChartTexts {
    std::string title, meaning_of_100_percent;  ///< `meaning_of_100_percent` says what 100 % is
    std::vector<std::string> competitors;       ///< names of at most three competitors
};

/// Returns the chart as SVG.
std::string draw_share_chart(const ShareChartTexts& texts,
                             const std::vector<ShareChartItem>& chart_items);

/// Returns a chart of the speeds of coalesce::transpose and PyTorch, as fractions of a copy's
/// speed. `shapes` is the output of build/bin/shapes.
std::string draw_shapes_chart(const Json& shapes);

/// Returns a chart that compares the methods of transposing across several GPUs. A bar shows a
/// method's speed with its best number of chunks, as a fraction of the link's speed. Each element
/// of `results_by_gpu_count` is the output of 16_many_gpus --json for one number of GPUs.
std::string draw_links_chart(const std::vector<Json>& results_by_gpu_count);

}  // namespace coalesce::proof
