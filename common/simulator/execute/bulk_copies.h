// Declares the types and functions that the files for cp.async.bulk share: a pending copy, a copy
// that is being issued, and their handling.
//
// Builds on  block.h, cluster.h.
// Files      bulk_copy.cpp describes the instructions and copies runs of bytes; tensor_copy.cpp
//            copies boxes of arrays. bulk_issue.cpp checks and counts a copy, and adds the copy to
//            the pending copies of each destination block. bulk_pending.cpp moves the bytes.
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

/// A part of a bulk copy: 16 bytes, or all bytes of an st.async.
struct Piece {
    u64 global_address = 0;  ///< the device address; 0 if outside the array
    u32 shared_offset = 0;   ///< the offset in the block's shared memory
    /// The number of leading bytes of the piece that lie within the array.
    u32 bytes_inside_array = 16;
    u32 size = 16;
    u8* host = nullptr;
};

/// A bulk copy that has been issued but is not yet complete.
struct Copy {
    const Op* op = nullptr;
    bool writes_shared = false;
    bool reads_shared = false;  ///< true if the copy reads the issuing block's shared memory
    Block* issuer = nullptr;
    /// For copies to shared memory, the block to whose shared memory the copy writes. For copies to
    /// global memory, the block whose shared memory the copy reads.
    Block* owner_block = nullptr;
    u32 warp = 0;  ///< the issuing warp
    int lane = 0;
    u32 group = 0;     ///< for copies to global memory, the number of groups committed earlier
    u32 mbarrier = 0;  ///< for copies to shared memory, the offset of the mbarrier to notify
    u32 bytes = 0;
    u32 race_copy_id = 0, source_copy_id = 0;
    u64 issue_time = 0;  ///< the time of issue, for the race check of global memory
    u32 fill_value = 0;  ///< the 4-byte value for elements outside the array
    std::vector<Piece> pieces;
    std::vector<u8>
        stored_values;  ///< for st.async, the stored values, to which Piece::host points

    u32 global_site() const { return op->site; }
    u32 shared_site() const { return op->site + 1; }
};

}  // namespace bulk

/// The pending copies that write to the block's shared memory, or that copy from this memory to
/// global memory.
struct Block::BulkCopies {
    std::deque<bulk::Copy> pending;
    /// The number of groups that each lane has committed, indexed by warp and lane.
    std::vector<std::array<u32, kLanes>> committed_groups;
};

namespace bulk {

Block::BulkCopies& pending_copies(Block& block);

// ---- issuing (bulk_issue.cpp) ----

/// A bulk copy that is being issued, with its addresses as the program gave them.
struct CopyIssue {
    Warp& w;
    Copy copy;
    u64 shared_address = 0,
        mbarrier_address = 0;  ///< the addresses in shared memory, as given by the program
    bool is_defined = true;    ///< true if all bytes read from global memory are initialized

    bool fail_copy(Status status, const char* kind, const std::string& message, u64 address) {
        return w.fail_launch(copy.op, status, "memcheck", kind, message, copy.lane, address);
    }
};

/// A shared memory access by the issuing lane alone, in the form that the checks expect.
struct OneLaneAccess {
    u32 addresses[kLanes] = {};
    SharedAccess access;

    OneLaneAccess(const CopyIssue& issue, u32 address, u32 bytes) {
        addresses[issue.copy.lane] = address;
        access.warp = race_check_warp(issue.w);
        access.site = issue.copy.shared_site();
        access.active = 1u << issue.copy.lane;
        access.addresses = addresses;
        access.bytes_per_lane = bytes;
    }
};

/// Bits of Op::detail. kToShared means that the copy writes to shared memory, and kFromShared means
/// that the copy reads shared memory. kMulticast means that the copy writes to several blocks.
/// Op::members then contains a bit for the rank of each of these blocks.
inline constexpr u8 kToShared = 8, kFromShared = 16, kMulticast = 32;

/// Begins a copy with the operands that all bulk copy instructions have in common. Op::a is the
/// address in shared memory, and Op::c is the mbarrier.
CopyIssue begin_bulk_copy(Warp& w, const Op* op, int lane);

// The following functions return false if they have reported an error. The error ends the launch.
bool check_is_multiple(CopyIssue& issue, u64 value, u32 divisor, const char* operand_name);
/// Sets Piece::host to the host address of a piece, which must lie within an allocation. Looks in
/// `last_allocation` first, and sets it to the allocation that was found. Does nothing in a dry
/// run, which accesses no memory.
bool find_host_of_piece(CopyIssue& issue, Piece& piece, const Allocation*& last_allocation);
/// Checks that the `bytes` bytes at `address` are within the shared memory of Copy::owner_block.
bool check_shared_range(CopyIssue& issue, u64 address, u64 bytes);
/// Sets Copy::mbarrier to the offset of the mbarrier to which the copy reports. The mbarrier must
/// be in the copy's destination block.
bool find_mbarrier(CopyIssue& issue);

/// A function that divides a copy into pieces. The copy starts at offset `shared` in its block's
/// shared memory. Returns false if it has reported an error.
using SplitCopy = std::function<bool(CopyIssue& issue, u32 shared)>;
/// Checks and counts a copy of `bytes` bytes. Adds the copy to the pending copies of its block, or
/// of each destination block for a multicast.
bool issue_copy(CopyIssue& issue, u64 bytes, const SplitCopy& split);
/// Tells the race check which bytes of the issuing block's shared memory a copy reads.
void pass_source_to_race_check(CopyIssue& issue, u32 source_address);

// ---- handlers ----

/// Executes an instruction by calling CopyOfLane for each active lane.
template <bool (*CopyOfLane)(Warp&, const Op*, int)>
const Op* run_lanes(Warp& w, const Op* op) {
    for (const int l : LaneRange{w.active})
        if (!CopyOfLane(w, op, l)) return nullptr;
    w.block->watch->note_memory_change();
    return op + 1;
}
/// Copies a box of an array (tensor_copy.cpp).
bool copy_box(Warp& w, const Op* op, int lane);
/// These handlers execute cp.async.bulk.commit_group and wait_group (bulk_pending.cpp).
const Op* run_commit_group(Warp& w, const Op* op);
const Op* run_wait_group(Warp& w, const Op* op);

}  // namespace bulk
}  // namespace coalesce::simulator
