/// \file
/// Evicts the data of earlier launches from the L2 cache.
#pragma once

#include <cstddef>

namespace tutorial {

/// Reads `n` floats of device memory, which evicts all other data from the caches.
void flush_by_reading(const float* data, std::size_t n);

}  // namespace tutorial
