// The books of the memory pools.
#pragma once

namespace coalesce::sim::cudart {

/// `pointer` was freed, whether it came from a pool or not.
void note_freed_in_pools(const void* pointer);

}  // namespace coalesce::sim::cudart
