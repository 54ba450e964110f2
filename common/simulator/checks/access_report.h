// The words of memcheck and initcheck: what an access did wrong, to which allocation, by how much,
// and what probably caused it.
//
// Builds on  report/reports.h, memory/device_memory.h.
// Use        Every function takes a report whose place, kernel, block and thread are filled in (see
//            Warp::describe) and gives it back with check, kind, address, message and cure.
#pragma once

#include <string>
#include <vector>

#include "simulator/base/types.h"
#include "simulator/memory/device_memory.h"
#include "simulator/ptx/ast.h"
#include "simulator/report/reports.h"

namespace coalesce::simulator {

/// One lane's access.
struct LaneAccess {
    enum class Kind : u8 { read, write, atomic };
    Kind kind = Kind::read;
    u64 address = 0;    ///< a device address, or an offset within shared or local memory
    u32 bytes = 4;      ///< that this lane asked for
    u32 unwritten = 0;  ///< of these, as bits, the ones that nothing wrote; 0: not known
};

/// A variable in shared or local memory, where its place is known.
struct PlacedVariable {
    std::string name;  ///< as in the PTX
    u32 offset = 0, bytes = 0;
};

/// memcheck "out of bounds" or "use after free". Null pointers and pointers to host memory are told
/// apart in the text.
Report describe_bad_global(Report report, const LaneAccess& access,
                           const AllocationTable& allocations);

/// memcheck "out of bounds" in shared memory.
Report describe_bad_shared(Report report, const LaneAccess& access, u32 static_bytes,
                           u32 dynamic_bytes, const std::vector<PlacedVariable>& variables = {});

/// memcheck "out of bounds" in local memory: arrays and structs of one thread.
Report describe_bad_local(Report report, const LaneAccess& access, u64 local_bytes);

/// memcheck "misaligned".
Report describe_misaligned(Report report, const LaneAccess& access, ptx::StateSpace space,
                           const AllocationTable* allocations = nullptr);

/// initcheck "uninitialised global read".
Report describe_uninitialised_global(Report report, const LaneAccess& access,
                                     const AllocationTable& allocations);

/// initcheck "uninitialised shared read".
Report describe_uninitialised_shared(Report report, const LaneAccess& access);

/// "byte 4100 of 'buffer' (4096 bytes)": where a device address lies, for messages of all checks.
std::string describe_address(u64 address, const AllocationTable& allocations);

/// "_ZZ6kernelPfE4tile" -> "tile"; other names as they are.
std::string variable_name(const std::string& ptx_name);

}  // namespace coalesce::simulator
