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
    /// the effects that the predicted time leaves out, because the model does not cover them
    std::vector<std::string> unknown;
    bool is_known() const { return unknown.empty(); }
    /// Returns the relative error; 0.05 means that the prediction is 5 % too long.
    double error() const { return predicted / measured - 1; }
};

/// Statistics of the absolute errors in a list of pairs.
struct ErrorSummary {
    std::size_t pairs = 0;
    double median = 0, percentile_90 = 0, worst = 0;
    /// The number of pairs with an error below 10 %, and the number with an error above 30 %.
    std::size_t within_10 = 0, beyond_30 = 0;
    /// The number of pairs of kernels whose measured times differ by more than 5 %, and how many of
    /// them the model predicts in the right order.
    std::size_t comparable = 0, in_order = 0;
    /// Returns the fraction of pairs of kernels whose predicted times have the same order as their
    /// measured times. Returns 1 if no two kernels differ enough to be compared.
    double order() const {
        return comparable == 0 ? 1
                               : static_cast<double>(in_order) / static_cast<double>(comparable);
    }
};

ErrorSummary summarize(const std::vector<TimePair>& pairs);
/// Returns the pairs whose kernels the model covers completely.
std::vector<TimePair> fully_modelled_pairs(const std::vector<TimePair>& pairs);
/// Returns the `count` worst pairs, the worst one first, or all pairs if there are fewer.
std::vector<TimePair> find_worst(const std::vector<TimePair>& pairs, std::size_t count);

/// Returns text for a terminal with 80 columns: the pairs, the ten worst pairs, and statistics for
/// all pairs and for the pairs whose kernels the model covers completely.
std::string format_text(const std::vector<TimePair>& pairs);
/// Returns the pairs and the statistics as two Markdown tables.
std::string format_markdown(const std::vector<TimePair>& pairs);
/// Returns a picture that plots predicted against measured times on logarithmic axes, with the
/// diagonal and lines at +-10 %. Rings mark kernels that the model does not cover completely. The
/// worst pairs are labelled.
std::string draw_svg(const std::vector<TimePair>& pairs, const std::string& title);

}  // namespace coalesce::timing
