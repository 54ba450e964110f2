/// \file
/// How far predicted times are from measured ones: figures, and the same as text, as Markdown and as a
/// picture.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace coalesce::timing {

/// A time that was predicted and measured, in milliseconds.
struct TimePair {
    std::string name;
    double measured = 0, predicted = 0;
    std::string binds;                 ///< what the model says binds; "" when it does not matter
    std::vector<std::string> unknown;  ///< what the model says that it does not know
    bool is_known() const { return unknown.empty(); }
    /// 0.05: predicted 5 % too long.
    double error() const { return predicted / measured - 1; }
};

/// Of a list of pairs. Errors count without their sign.
struct ErrorSummary {
    std::size_t pairs = 0;
    double median = 0, percentile_90 = 0, worst = 0;
    std::size_t within_10 = 0, beyond_30 = 0;  ///< pairs within 10 %, and beyond 30 %
    /// Of two kernels whose measured times differ by more than 5 %: how many such there are, and in how many
    /// the one that is predicted to be faster is the faster one.
    std::size_t comparable = 0, in_order = 0;
    /// Part of the comparable ones; 1 when there are none.
    double order() const {
        return comparable == 0 ? 1
                               : static_cast<double>(in_order) / static_cast<double>(comparable);
    }
};

ErrorSummary summary_of(const std::vector<TimePair>& pairs);
/// Those of which the model says that it knows them.
std::vector<TimePair> known_of(const std::vector<TimePair>& pairs);
/// So many, or all, the worst first.
std::vector<TimePair> worst_of(const std::vector<TimePair>& pairs, std::size_t count);

/// For a terminal of 80 columns: the pairs, the worst ten, and the figures of all and of the known ones.
std::string as_text(const std::vector<TimePair>& pairs);
/// The same as two tables.
std::string as_markdown(const std::vector<TimePair>& pairs);
/// Predicted over measured times, both in logarithms, with the diagonal and lines at +-10 %. Rings: of those
/// the model says that it does not know them. The worst are named.
std::string as_svg(const std::vector<TimePair>& pairs, const std::string& title);

}  // namespace coalesce::timing
