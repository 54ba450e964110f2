#pragma once

#include <algorithm>
#include <vector>

namespace coalesce {

/// Returns the median. The median of an even number of values is the mean of the two in the middle,
/// and the median of no values is 0.
inline double median(std::vector<double> values) {
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1) return *middle;
    return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

}  // namespace coalesce
