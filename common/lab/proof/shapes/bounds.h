/// \file
/// Measures how fast a transpose or a permutation could be. The kernels access memory as the
/// library does, but transpose nothing.
#pragma once

#include "lab/proof/shapes/permutes.h"
#include "lab/proof/shapes/transposes.h"

namespace coalesce::proof {

/// Reports whether `run_bound` has a kernel for this case. It has none for images with few
/// channels, because the library transposes them at the speed of a copy.
bool has_bound(const TransposeCase& shape);
bool has_bound(const PermuteCase& one);
/// Makes the same loads and stores as the library in this case, without transposing. Each thread
/// stores what it has loaded.
void run_bound(void* out, const void* in, const TransposeCase& shape);
void run_bound(void* out, const void* in, const PermuteCase& one);

}  // namespace coalesce::proof
