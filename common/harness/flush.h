// Flushes the L2 cache before a measurement.
#pragma once

#include <cstddef>

namespace coalesce {

/// Queues a kernel that evicts all other data from the L2 cache by reading the whole buffer. A
/// kernel that writes the buffer would leave dirty lines, which the cache would write back during
/// the next kernel.
void flush_by_reading(const void* buffer, std::size_t bytes);

}  // namespace coalesce
