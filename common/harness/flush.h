// Flushes the L2 cache before a measurement.
#pragma once

#include <cstddef>

namespace coalesce {

/// Queues a kernel that reads the whole buffer, which evicts all other data from the L2 cache.
/// Writing would leave dirty lines, which the cache would write back during the next kernel.
void flush_by_reading(const void* buffer, std::size_t bytes);

}  // namespace coalesce
