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

/// Returns the arrays on which to verify a variant that permutes the axes of an array. The arrays'
/// extents include 1, small and odd numbers, multiples of a tile's side, and numbers that leave an
/// incomplete tile. Extents are rounded up to what the variant accepts.
std::vector<Permutation> verification_arrays(const Variant& variant);
/// Returns the largest array of `variant` that has at most as many elements as a matrix of this
/// shape. Returns nothing if even the smallest array has more elements.
std::optional<Permutation> find_array(const Variant& variant, Shape shape);

/// Rounds a shape up to the next one that `variant` accepts. If `variant` accepts only squares, the
/// side is the rounded-up number of rows. The number of elements must fit into an int.
Shape round_up_shape(Shape shape, const Variant& variant);

/// Returns the largest number of rows or columns that `variant` accepts.
int longest_side(const Variant& variant);

/// Returns the square on which to count costs or to measure times if the user gives no shape. Its
/// side depends on the device.
Shape usual_shape(const std::vector<const Variant*>& variants, bool is_simulated);
/// Returns the square for which to predict a time if the user gives no shape. The square is too
/// large for the L2 cache, unless `variant` accepts only smaller squares.
Shape usual_prediction_shape(const Variant& variant);

/// Returns a message that says why `variant` does not accept `shape`, and names the next shape that
/// the variant accepts. Returns "" if the variant accepts `shape`.
std::string find_refusal(const Variant& variant, Shape shape);

}  // namespace coalesce
