// Writes the reports of memcheck and initcheck: what is wrong with an access, which allocation is
// involved, how far it is out of bounds, and the probable cause.
//
// Builds on  report/reports.h, memory/device_memory.h.
// Use        Every function that takes a report expects the report's place, kernel, block and
//            thread to be set (see Warp::describe), and sets the report's check, kind, address,
//            message and cure.
#pragma once

#include <string>
#include <vector>

#include "simulator/base/types.h"
#include "simulator/memory/address_zone.h"
#include "simulator/memory/device_memory.h"
#include "simulator/ptx/ast.h"
#include "simulator/report/reports.h"

namespace coalesce::simulator {

/// The access of one lane.
struct LaneAccess {
    enum class Kind : u8 { read, write, atomic };
    Kind kind = Kind::read;
    u64 address = 0;         ///< a device address, or an offset in shared or local memory
    u32 bytes = 4;           ///< the number of bytes that this lane accesses
    u32 unwritten_mask = 0;  ///< a mask of the accessed bytes that are uninitialized; 0 if unknown
};

/// A variable in shared or local memory whose position is known.
struct VariablePlacement {
    std::string name;  ///< the variable's name in the PTX
    u32 offset = 0, bytes = 0;
};

/// Describes memcheck's "out of bounds" and "use after free" errors for global memory. If the
/// pointer is null or points to host memory, the message says so. `calls_malloc` is true if the
/// kernel calls malloc. `intended_allocation` is the allocation that the program probably meant, or
/// null if unknown.
Report describe_global_violation(Report report, const LaneAccess& access,
                                 const AllocationTable& allocations, bool calls_malloc = false,
                                 const Allocation* intended_allocation = nullptr);

/// Describes memcheck's "out of bounds" error for an access to `found_allocation` through a pointer
/// into `intended_allocation`.
Report describe_other_allocation(Report report, const LaneAccess& access,
                                 const Allocation& intended_allocation,
                                 const Allocation& found_allocation);

/// Describes memcheck's "out of bounds" and "use after free" errors for memory from malloc in
/// kernels. `freed_bytes` is the size of the freed allocation that contains the address, or 0 if
/// there is none. `preceding_allocation` is the last live allocation that begins below the address,
/// or empty if there is none. `was_freed_by_other` is true if another thread has freed the
/// allocation in this launch.
Report describe_heap_violation(Report report, const LaneAccess& access, u64 freed_bytes,
                               Interval preceding_allocation, bool was_freed_by_other = false);

/// Describes memcheck's "out of bounds" error for shared memory.
Report describe_shared_violation(Report report, const LaneAccess& access, u32 static_bytes,
                                 u32 dynamic_bytes,
                                 const std::vector<VariablePlacement>& variables = {});

/// Describes memcheck's "out of bounds" error for local memory, which contains the arrays and
/// structs of one thread.
Report describe_local_violation(Report report, const LaneAccess& access, u64 local_bytes);

/// Describes memcheck's "another thread's variable" error: a thread uses a pointer to a local
/// variable of the thread `owner`.
Report describe_foreign_local(Report report, bool is_store, Dim3 owner);

/// Describes memcheck's "misaligned" error. If the address is in global memory and `allocations` is
/// not null, the message names the allocation that contains the address.
Report describe_misaligned(Report report, const LaneAccess& access, ptx::StateSpace space,
                           const AllocationTable* allocations = nullptr);

/// Describes initcheck's "uninitialised global read" error.
Report describe_uninitialised_global(Report report, const LaneAccess& access,
                                     const AllocationTable& allocations);

/// Describes initcheck's "uninitialised local read" error.
Report describe_uninitialised_local(Report report, const LaneAccess& access);

/// Describes initcheck's "uninitialised shared read" error.
Report describe_uninitialised_shared(Report report, const LaneAccess& access);

/// Formats a device address for the messages of checks, for example as "byte 4100 of 'buffer' (4096
/// bytes)".
std::string describe_address(u64 address, const AllocationTable& allocations);

/// Returns the source name of a variable: "tile" for "_ZZ6kernelPfE4tile". Returns other names
/// unchanged.
std::string source_variable_name(const std::string& ptx_name);

}  // namespace coalesce::simulator
