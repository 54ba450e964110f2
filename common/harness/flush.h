// Empties the second-level cache before a measurement.
#pragma once

#include <cstddef>

namespace coalesce {

/// Queues a kernel that reads the whole buffer, which evicts everything else from the cache.
/// Reading is better than writing: it leaves no modified lines, which the cache would have to write
/// to memory during the next kernel.
void flush_by_reading(const void* buffer, std::size_t bytes);

}  // namespace coalesce
