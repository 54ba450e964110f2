/// \file
/// Which shapes a kernel is tried on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/harness.h"
#include "harness/options.h"

namespace coalesce {

/// Shapes to verify a variant on, all of them rounded up to what it takes: square, both rectangular
/// ways, one row, one column, ragged edges. Never empty.
std::vector<Shape> verification_shapes(const Variant& variant);

/// The arrays to verify a variant on that permutes: one of everything, a few, odd extents, extents
/// that fill tiles and hang over, rounded up to what it takes.
std::vector<Permutation> verification_arrays(const Variant& variant);
/// The array of `variant` that as many elements as a matrix of that shape hold; none when not even
/// one batch fits.
std::optional<Permutation> array_of(const Variant& variant, Shape shape);

/// The next shape that `variant` takes, a square of as many rows where it takes squares alone; it must be
/// one that int can index.
Shape rounded_up(Shape shape, const Variant& variant);

/// Why `variant` does not take `shape`, with the next shape that it takes; "" when it does.
std::string refusal(const Variant& variant, Shape shape);

}  // namespace coalesce
