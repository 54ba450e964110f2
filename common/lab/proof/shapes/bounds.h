/// \file
/// What the addresses of a transpose allow, whatever is done between its loads and its stores.
#pragma once

#include <cstdint>

#include "lab/proof/shapes/transposes.h"

namespace coalesce::proof {

/// Whether there is such a kernel for this case. There is none for a few planes, which are as fast as a copy.
bool has_bound(const ShapeCase& shape);
/// What `coalesce::transpose` does in this case, in the default stream, but nothing is turned: the same
/// blocks load and store the same places in accesses of the same size, and each thread stores what it
/// loaded, or the exclusive or of it where it loads more than it stores.
void run_bound(void* out, const void* in, const ShapeCase& shape);
/// Bytes of `out` that are neither 0 nor `loaded`. Those are all that is left of an `in` which is full of that
/// byte, so any other one was not written, or comes from elsewhere.
std::uint64_t foreign_bytes(const void* out, std::uint64_t bytes, unsigned char loaded);

}  // namespace coalesce::proof
