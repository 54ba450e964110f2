// The handlers of ld and st, chosen by state space and shape.
#pragma once

#include "simulator/execute/warp.h"

namespace coalesce::simulator {

/// What the lowering knows about a load or store. Operands: the base address in Op::a (64-bit
/// lanes; 32-bit lanes with kNarrowAddress), the offset in Op::immediate, the elements in Op::v.
/// Generic ones get a 64-bit slot to work with in Op::b.
struct MemoryAccessKind {
    ptx::StateSpace space = ptx::StateSpace::generic;
    bool store = false;
    u32 bytes = 4;         ///< of an element
    u32 count = 1;         ///< elements
    bool strong = false;   ///< volatile, relaxed, acquire, release
    bool cluster = false;  ///< of shared memory: the launch has clusters
    bool own = false;      ///< ... and only the block's own is meant
    bool plain = false;    ///< lane by lane, without short cuts (Options::plain)
};

/// nullptr: no such access.
Handler memory_handler(const MemoryAccessKind& kind);

Handler global_handler(const MemoryAccessKind& kind);
Handler shared_handler(const MemoryAccessKind& kind);

/// The loads from global memory whose bits Op::immediate has must arrive, if any is pending.
const Op* op_wait_for_loads(Warp& w, const Op* op);

/// Bits of Op::detail on memory instructions.
enum MemoryDetail : u8 {
    kStrong = 1,          ///< volatile, relaxed, acquire, release: takes part in synchronisation
    kAcquires = 2,        ///< a strong load
    kReleases = 4,        ///< st.release
    kStableAddress = 8,   ///< the address depends on the thread's position alone
    kNarrowAddress = 16,  ///< of shared memory: the address is in lanes of 32 bits
    kCountsMachine = 32,  ///< what is counted is Site::machine
};

}  // namespace coalesce::simulator
