/// \file
/// Measures what the addresses of a transpose or a permutation allow: runs the library's accesses
/// without transposing anything.
#pragma once

#include "lab/proof/shapes/permutes.h"
#include "lab/proof/shapes/transposes.h"

namespace coalesce::proof {

/// Reports whether there is a kernel for `run_bound`. There is none for images with few channels,
/// which are moved at the speed of a copy.
bool has_bound(const TransposeCase& shape);
bool has_bound(const PermuteCase& one);
/// Loads from and stores to the same addresses as the library in this case, with accesses of the
/// same sizes, in the same blocks, in the default stream. Each thread stores what it has loaded, so
/// `out` does not contain a transpose.
void run_bound(void* out, const void* in, const TransposeCase& shape);
void run_bound(void* out, const void* in, const PermuteCase& one);

}  // namespace coalesce::proof
