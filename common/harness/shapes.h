/// \file
/// The shapes on which a kernel is verified.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/harness.h"
#include "harness/options.h"

namespace coalesce {

/// Returns the shapes on which to verify a variant, rounded up to sizes that the variant accepts.
/// The shapes include squares, wide and tall rectangles, single rows and columns, and shapes with
/// ragged edges. The result is never empty.
std::vector<Shape> verification_shapes(const Variant& variant);

/// Returns the arrays on which to verify a variant that permutes, rounded up to sizes that it
/// accepts. Their extents are 1, small, odd, multiples of a tile, or leave an incomplete tile.
std::vector<Permutation> verification_arrays(const Variant& variant);
/// Returns the array of `variant` that has the same number of elements as a matrix of that shape.
/// Returns nothing if the matrix has fewer elements than one batch.
std::optional<Permutation> find_array(const Variant& variant, Shape shape);

/// Returns the next larger shape that `variant` accepts. If it accepts only squares, returns a
/// square with the rounded-up number of rows. The number of elements must fit into an int.
Shape rounded_up(Shape shape, const Variant& variant);

/// Returns why `variant` does not accept `shape`, and the next shape that it accepts. Returns "" if
/// it accepts the shape.
std::string find_refusal(const Variant& variant, Shape shape);

}  // namespace coalesce
