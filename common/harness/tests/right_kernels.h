// Correct kernels for every element size and every kind of output.
#pragma once

#include <cstddef>

#include "harness/harness.h"

namespace coalesce::tests {

/// Launches a kernel that produces the given output. The elements have `element_size` bytes.
void launch_right(Produces produces, std::size_t element_size, void* out, const void* in, int rows,
                  int cols);

}  // namespace coalesce::tests
