/// \file
/// The axes of an array, and parts of an array along one of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "examiner/course/element_task.h"

namespace coalesce {

/// The index of an imaginary additional element with the value zero.
constexpr std::int64_t kZeroElement = -1;

/// The axes of an array: the names of the sizes, and the lengths. "rows * cols" has two axes.
struct Axes {
    std::vector<std::string> names;
    std::vector<std::int64_t> lengths;
};

/// Returns the axes of an array, or none if an extent is not a product of sizes.
Axes axes_of(const Parameter& array, const ElementTask& task, Shape shape);

/// Returns the array's bytes at the chosen indices along each axis called `name`, and at all
/// indices along the other axes.
std::string gather(const std::string& bytes, std::size_t element, const Axes& axes,
                   const std::string& name, const std::vector<std::int64_t>& indices);

/// Returns how often the reference may be run if one run takes this many warp instructions. The
/// limit does not depend on the speed of this computer, so that the verdict is the same everywhere.
std::int64_t count_reference_runs(std::uint64_t instructions);

}  // namespace coalesce
