// Selects the handler of a load or store by its state space and shape.
#pragma once

#include "simulator/execute/warp.h"

namespace coalesce::simulator {

/// The properties of a load or store that are known during lowering. Op::a is the base address
/// (64-bit lanes, or 32-bit lanes with kNarrowAddress), Op::immediate is the offset, and Op::v has
/// the elements. Generic accesses use a temporary 64-bit slot in Op::b.
struct MemoryAccessKind {
    ptx::StateSpace space = ptx::StateSpace::generic;
    bool is_store = false;
    u32 bytes = 4;              ///< the size of an element, in bytes
    u32 count = 1;              ///< the number of elements per lane
    bool is_strong = false;     ///< true for volatile, .relaxed, .acquire and .release accesses
    bool has_clusters = false;  ///< for shared memory, true if the launch has clusters
    /// For shared memory, true if only the block's own memory may be accessed.
    bool is_own_block = false;
    bool is_plain = false;  ///< true to access lane by lane, without optimizations (Options::plain)
};

/// Returns the handler of a load or store, or nullptr if no instruction has these properties.
Handler memory_handler(const MemoryAccessKind& kind);

Handler global_handler(const MemoryAccessKind& kind);
Handler shared_handler(const MemoryAccessKind& kind);

/// Makes the warp wait for the pending loads from global memory whose bits are set in
/// Op::immediate.
const Op* op_wait_for_loads(Warp& w, const Op* op);

/// The bits of Op::detail in memory instructions.
enum MemoryDetail : u8 {
    /// A volatile, .relaxed, .acquire or .release access, which takes part in synchronization.
    kStrong = 1,
    kAcquires = 2,  ///< a strong load, which makes visible what other threads have released
    kReleases = 4,  ///< st.release, which makes the warp's earlier accesses visible
    /// The address is the same in every block, because it depends only on the thread's index in its
    /// block.
    kStableAddress = 8,
    kNarrowAddress = 16,  ///< for shared memory, the address is in 32-bit lanes
    /// The accesses in the machine code (Site::machine_accesses) are counted instead of this
    /// access.
    kCountsMachineAccesses = 32,
    kReadOnlyPath = 64,  ///< ld.global.nc, which loads through the read-only cache
};

}  // namespace coalesce::simulator
