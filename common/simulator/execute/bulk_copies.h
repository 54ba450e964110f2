// What the files about cp.async.bulk share: a copy that is pending, and one that is being issued.
//
// Builds on  block.h, cluster.h.
// Files      bulk_copy.cpp reads the instructions and copies runs of bytes, tensor_copy.cpp boxes of
//            arrays. bulk_issue.cpp checks and counts a copy, and keeps it with the block that it
//            goes to, or with each block of a multicast; bulk_pending.cpp moves its bytes.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "simulator/execute/block.h"
#include "simulator/execute/cluster.h"
#include "simulator/memory/tensor_map.h"

namespace coalesce::simulator {

namespace bulk {

/// 16 bytes of a copy, or all of st.async.
struct Piece {
    u64 global = 0;   ///< device address; 0: outside of the array
    u32 shared = 0;   ///< offset in the block's shared memory
    u32 inside = 16;  ///< of its bytes, those within the array; the others come after them
    u32 size = 16;
    u8* host = nullptr;
};

/// A copy that has been issued and is not complete.
struct Copy {
    const Op* op = nullptr;
    bool to_shared = false;
    bool from_shared = false;  ///< of the block that issued it
    Block* issuer = nullptr;
    Block* home = nullptr;  ///< whose shared memory it writes, or reads into global memory
    u32 warp = 0;           ///< of the issuer
    int lane = 0;
    u32 group = 0;     ///< groups that its thread had committed before (to global memory)
    u32 mbarrier = 0;  ///< offset of the one that is told (to shared memory)
    u32 bytes = 0;
    u32 race_ticket = 0, source_ticket = 0;
    u64 issued = 0;  ///< for the race check of global memory
    u32 fill = 0;    ///< what stands for 4 bytes outside of the array
    std::vector<Piece> pieces;
    std::vector<u8> values;  ///< of st.async, to which its piece points

    u32 global_site() const { return op->site; }
    u32 shared_site() const { return op->site + 1; }
};

}  // namespace bulk

/// Of the copies that write a block's shared memory, or read it into global memory.
struct Block::BulkCopies {
    std::deque<bulk::Copy> pending;
    std::vector<std::array<u32, kLanes>> committed;  ///< groups, by warp and lane
};

namespace bulk {

Block::BulkCopies& copies_of(Block& block);

// ---- issuing (bulk_issue.cpp) ----

/// One copy that is being issued: where it is, and its pieces so far.
struct Issue {
    Warp& w;
    Copy copy;
    u64 shared = 0, mbarrier = 0;  ///< their addresses, as they were given
    bool is_defined = true;        ///< all that it reads in global memory was written

    bool fail(Status status, const char* kind, const std::string& message, u64 address) {
        return w.fail(copy.op, status, "memcheck", kind, message, copy.lane, address);
    }
};

/// What the issuing lane does to shared memory, as the checks want it.
struct OneLane {
    u32 addresses[kLanes] = {};
    SharedAccess access;

    OneLane(const Issue& issue, u32 address, u32 bytes) {
        addresses[issue.copy.lane] = address;
        access.warp = race_warp(issue.w);
        access.site = issue.copy.shared_site();
        access.active = 1u << issue.copy.lane;
        access.addresses = addresses;
        access.bytes_per_lane = bytes;
    }
};

/// In Op::detail: the copy is one to shared memory; it comes from there; Op::members has the ranks
/// that it goes to, a bit for each.
inline constexpr u8 kToShared = 8, kFromShared = 16, kMulticast = 32;

/// Begins a copy with the operands that all instructions have. Op::a: in shared memory. Op::c: the mbarrier.
Issue begin(Warp& w, const Op* op, int lane);

// Each returns false when it has reported a mistake, which ends the launch.
bool is_multiple(Issue& issue, u64 value, u32 of, const char* what);
/// Finds the piece in this process, if it is within an allocation. Memory that is not touched is nowhere.
bool find_global(Issue& issue, Piece& piece, const Allocation*& near);
/// The bytes of shared memory that the copy takes must be those of its block.
bool find_shared(Issue& issue, u64 address, u64 bytes);
/// Finds the mbarrier that the copy reports to, in the block that the copy goes to.
bool find_mbarrier(Issue& issue);

/// Makes the pieces of a copy that lies at this offset of its block's shared memory.
using Cut = std::function<bool(Issue& issue, u32 shared)>;
/// Checks, counts and keeps a copy of so many bytes: for the block that its address belongs to, or
/// for each block of a multicast.
bool issue_copy(Issue& issue, u64 bytes, const Cut& cut);
/// Shows the race check what a copy reads in its own block.
void note_source(Issue& issue, u32 from);

// ---- handlers ----

/// Carries out an instruction, lane by lane.
template <bool (*CopyOfLane)(Warp&, const Op*, int)>
const Op* run_lanes(Warp& w, const Op* op) {
    for (const int l : LanesIn{w.active})
        if (!CopyOfLane(w, op, l)) return nullptr;
    w.block->watch->memory_changed();
    return op + 1;
}
/// A box of an array (tensor_copy.cpp).
bool copy_box(Warp& w, const Op* op, int lane);
/// cp.async.bulk.commit_group and wait_group (bulk_pending.cpp).
const Op* run_commit(Warp& w, const Op* op);
const Op* run_wait(Warp& w, const Op* op);

}  // namespace bulk
}  // namespace coalesce::simulator
