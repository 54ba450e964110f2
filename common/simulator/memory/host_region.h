// Determines which kind of host memory contains an address, for messages about kernels that use
// host pointers.
#pragma once

#include "simulator/base/types.h"

namespace coalesce::simulator {

enum class HostRegion : u8 {
    none,   ///< not in any known memory of the process
    heap,   ///< memory from malloc or new
    stack,  ///< the stack of the main thread
    /// memory mapped without a file: large blocks from malloc, and the stacks of other threads
    anonymous,
    variable,   ///< a variable of the program or a library
    functions,  ///< a variable that contains the address of a function, such as a virtual table
};

/// Returns the region that contains an address. The call is slow, because it reads the list of the
/// process's mappings. Returns `none` if the list cannot be read.
HostRegion find_host_region(u64 address);

}  // namespace coalesce::simulator
