// Empties the second-level cache of what a measurement would find in it.
#pragma once

#include <cstddef>

namespace coalesce {

/// Queues a read of the whole buffer. What was cached before makes way, and, unlike after writing,
/// nothing is left that would have to go to memory while the next kernel is measured.
void flush_by_reading(const void* buffer, std::size_t bytes);

}  // namespace coalesce
