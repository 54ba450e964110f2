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
    u32 bytes = 4;         ///< the size of an element, in bytes
    u32 count = 1;         ///< the number of elements per lane
    bool strong = false;   ///< true for volatile, relaxed, acquire or release
    bool cluster = false;  ///< for shared memory, true if the launch has clusters
    bool own = false;      ///< for shared memory, true if only the block's own memory is allowed
    bool plain = false;    ///< true to access lane by lane, without optimizations (Options::plain)
};

/// Returns the handler of a load or store, or nullptr if no instruction makes such an access.
Handler memory_handler(const MemoryAccessKind& kind);

Handler global_handler(const MemoryAccessKind& kind);
Handler shared_handler(const MemoryAccessKind& kind);

/// Waits for the pending loads from global memory whose bits are set in Op::immediate.
const Op* op_wait_for_loads(Warp& w, const Op* op);

/// The bits of Op::detail in memory instructions.
enum MemoryDetail : u8 {
    kStrong = 1,          ///< a volatile, relaxed, acquire or release access, which synchronizes
    kAcquires = 2,        ///< a strong load, which acquires published accesses
    kReleases = 4,        ///< st.release, which publishes the warp's earlier accesses
    kStableAddress = 8,   ///< the address depends only on the thread's index
    kNarrowAddress = 16,  ///< for shared memory, the address is in 32-bit lanes
    kCountsMachineAccesses = 32,  ///< the accesses in Site::machine are counted
    kReadOnlyPath = 64,           ///< ld.global.nc, which loads through the read-only cache
};

}  // namespace coalesce::simulator
