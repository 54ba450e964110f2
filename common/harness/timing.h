/// \file
/// Times that were measured on a real GPU.
#pragma once

#include <vector>

namespace coalesce {

/// A measured time.
struct Timing {
    double ms = 0;  ///< the median
    /// The uncertainty of the median as a fraction of it, with 95 % confidence.
    double spread = 0;
    int repetitions = 0;  ///< the number of measurements
};

/// Returns the median of `values` and its uncertainty. The method is robust: a few outliers do not
/// change the result.
Timing summarise(std::vector<double> values);

}  // namespace coalesce
