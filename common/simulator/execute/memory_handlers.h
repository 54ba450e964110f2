// The handlers of ld and st, by state space and shape.
#pragma once

#include "simulator/execute/warp.h"

namespace coalesce::simulator {

/// The properties of a load or store that are known during lowering. The base address is in Op::a
/// (as 64-bit lanes, or 32-bit lanes with kNarrowAddress), the offset in Op::immediate, and the
/// elements in Op::v. Generic accesses use a temporary 64-bit slot in Op::b.
struct MemoryAccessKind {
    ptx::StateSpace space = ptx::StateSpace::generic;
    bool store = false;
    u32 bytes = 4;         ///< per element
    u32 count = 1;         ///< number of elements
    bool strong = false;   ///< volatile, relaxed, acquire or release
    bool cluster = false;  ///< for shared memory: the launch has clusters
    bool own = false;      ///< for shared memory: only the block's own memory is allowed
    bool plain = false;    ///< lane by lane, without any optimization (Options::plain)
};

/// Returns the handler of a load or store, or nullptr if there is no such access.
Handler memory_handler(const MemoryAccessKind& kind);

Handler global_handler(const MemoryAccessKind& kind);
Handler shared_handler(const MemoryAccessKind& kind);

/// Waits for the pending loads from global memory whose bits are set in Op::immediate.
const Op* op_wait_for_loads(Warp& w, const Op* op);

/// The bits of Op::detail in memory instructions.
enum MemoryDetail : u8 {
    kStrong = 1,                  ///< volatile, relaxed, acquire or release, which synchronizes
    kAcquires = 2,                ///< a strong load
    kReleases = 4,                ///< st.release
    kStableAddress = 8,           ///< the address depends only on the thread's index
    kNarrowAddress = 16,          ///< for shared memory: the address is in 32-bit lanes
    kCountsMachineAccesses = 32,  ///< Site::machine determines what is counted
    kReadOnlyPath = 64,           ///< ld.global.nc
};

}  // namespace coalesce::simulator
