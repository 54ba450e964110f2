/// \file
/// The shapes on which a kernel is verified.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/harness.h"
#include "harness/options.h"

namespace coalesce {

/// Returns the shapes on which to verify a variant, rounded up to sizes that it accepts: squares,
/// wide and tall rectangles, single rows and columns, ragged edges. Never empty.
std::vector<Shape> verification_shapes(const Variant& variant);

/// Returns the arrays on which to verify a variant that permutes, rounded up to sizes that it
/// accepts. They have extents of one, small and odd extents, extents that fill tiles, and extents
/// that leave an incomplete tile.
std::vector<Permutation> verification_arrays(const Variant& variant);
/// Returns the array of `variant` with as many elements as a matrix of that shape, or nothing if
/// not even one batch fits.
std::optional<Permutation> array_of(const Variant& variant, Shape shape);

/// Returns the next larger shape that `variant` accepts. For a variant that accepts only squares,
/// this is a square with as many rows. Its elements must be countable with an int.
Shape rounded_up(Shape shape, const Variant& variant);

/// Returns why `variant` does not accept `shape`, with the next shape that it accepts. Returns ""
/// if it does.
std::string refusal(const Variant& variant, Shape shape);

}  // namespace coalesce
