/// \file
/// The errors of predicted times, as numbers, text, Markdown and a picture.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace coalesce::timing {

/// A predicted and a measured time, in milliseconds.
struct TimePair {
    std::string name;
    double measured = 0, predicted = 0;
    /// The resource that limits the kernel according to the model, or "" if it is unknown.
    std::string bottleneck;
    /// the effects in this kernel that the model does not cover
    std::vector<std::string> unknown;
    bool is_fully_modelled() const { return unknown.empty(); }
    /// Returns the relative error; 0.05 means that the prediction is 5 % too long.
    double relative_error() const { return predicted / measured - 1; }
};

/// Statistics of the absolute errors in a list of pairs.
struct ErrorSummary {
    std::size_t pairs = 0;
    double median = 0, percentile_90_error = 0, worst_error = 0;
    /// The number of pairs whose error is below 10 %, and the number of pairs whose error is above
    /// 30 %.
    std::size_t pairs_within_10_percent = 0, pairs_beyond_30_percent = 0;
    /// `comparable_orders` is the number of pairs of kernels whose measured times differ by more
    /// than 5 %. `correct_orders` is the number of these pairs that the model puts in the right
    /// order.
    std::size_t comparable_orders = 0, correct_orders = 0;
    /// Returns the fraction of the comparable pairs of kernels that the model puts in the right
    /// order. Returns 1 if no pairs are comparable.
    double correct_order_fraction() const {
        return comparable_orders == 0
                   ? 1
                   : static_cast<double>(correct_orders) / static_cast<double>(comparable_orders);
    }
};

ErrorSummary summarize_errors(const std::vector<TimePair>& pairs);
/// Returns the pairs whose kernels the model covers completely.
std::vector<TimePair> select_fully_modelled_pairs(const std::vector<TimePair>& pairs);
/// Returns the `count` worst pairs, the worst one first, or all pairs if there are fewer.
std::vector<TimePair> find_worst_pairs(const std::vector<TimePair>& pairs, std::size_t count);

/// Returns text for a terminal: all pairs, the ten worst pairs, and statistics. The statistics are
/// repeated for the pairs that the model covers completely.
std::string format_text(const std::vector<TimePair>& pairs);
/// Returns the pairs and the statistics as two Markdown tables.
std::string format_markdown(const std::vector<TimePair>& pairs);
/// Returns an SVG that plots predicted against measured times, with the diagonal and lines at +-10
/// %. Both axes are logarithmic. Rings mark kernels that the model does not cover completely.
std::string draw_svg(const std::vector<TimePair>& pairs, const std::string& title);

}  // namespace coalesce::timing
