// What of this process lies at an address: for the words about a kernel that follows a host pointer.
#pragma once

#include "simulator/base/types.h"

namespace coalesce::simulator {

enum class HostRegion : u8 {
    none,       ///< nothing, as far as can be known
    heap,       ///< malloc, new
    stack,      ///< of the main thread
    anonymous,  ///< large blocks of malloc, stacks of threads
    variable,   ///< of the program or a library
};

/// Slow: reads the list of the process's mappings. `none` where there is no such list.
HostRegion host_region(u64 address);

}  // namespace coalesce::simulator
