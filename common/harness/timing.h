/// \file
/// How long something takes on a real GPU.
#pragma once

#include <vector>

namespace coalesce {

/// A time that was measured.
struct Timing {
    double ms = 0;        ///< the median
    double spread = 0;    ///< how far the median may be off, as a fraction of it (95 % of the time)
    int repetitions = 0;  ///< how many times it was measured
};

/// The median of `values`, and how far it may be off: robust, so that a few outliers change
/// nothing.
Timing summarise(std::vector<double> values);

}  // namespace coalesce
