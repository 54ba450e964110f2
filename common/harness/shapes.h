/// \file
/// Which shapes a kernel is tried on.
#pragma once

#include <string>
#include <vector>

#include "harness/harness.h"
#include "harness/options.h"

namespace coalesce {

/// Shapes to verify a kernel on, all of them multiples of what it takes: square, both rectangular
/// ways, one row, one column, ragged edges. Never empty.
std::vector<Shape> verification_shapes(int rows_multiple, int cols_multiple);

/// The next shape that `variant` takes; it must be one that int can index.
Shape rounded_up(Shape shape, const Variant& variant);

/// Why `variant` does not take `shape`, with the next shape that it takes; "" when it does.
std::string refusal(const Variant& variant, Shape shape);

}  // namespace coalesce
