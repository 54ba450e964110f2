/// \file
/// Times measured on a real GPU.
#pragma once

#include <vector>

namespace coalesce {

/// A measured time.
struct Timing {
    double ms = 0;  ///< the median time in milliseconds
    /// The uncertainty of the median at 95 % confidence, as a fraction of the median.
    double spread = 0;
    int repetitions = 0;  ///< the number of measurements
};

/// Returns the median of `values` and its uncertainty. A few outliers do not affect the result.
Timing summarize_timings(std::vector<double> values);

}  // namespace coalesce
