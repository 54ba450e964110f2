// Kernels that are right, for every element size.
#pragma once

#include <cstddef>

#include "harness/harness.h"

namespace coalesce::tests {

/// Launches a kernel that produces that, of elements of that many bytes.
void launch_right(Produces produces, std::size_t element_size, void* out, const void* in, int rows,
                  int cols);

}  // namespace coalesce::tests
