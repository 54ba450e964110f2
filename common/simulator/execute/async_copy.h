// What mbarriers, cp.async and cp.async.bulk have to do with each other.
//
// Counters   copy_waits, copy_bytes_under_way: ours; hardware has no such counters. A copy to shared memory is
//            there to be under way while its block does something else: while it reads what came before. So
//            each time that a warp loads from shared memory, the bytes that its block has under way to it
//            are added up: 0 in a loop that waits for all it has asked for, the bytes of a stage in one of
//            two stages. Bytes divided by these loads say how much is fetched meanwhile. (Warps run here one
//            after the other, from barrier to barrier: where each sends its copies and then reads, without
//            a barrier between, the first one sees only its own.) Bytes are those that are read, without
//            zeros that fill up.
//            A wait counts at the oldest copy that is pending.
//            - cp.async.wait_group and wait_all are waits of a warp, for the copies of its active lanes, if
//              they have any that have not been waited for.
//            - A bulk copy is waited for once, by whoever asks first the mbarrier that it reports to.
//            - Copies by cp.async that report to an mbarrier are taken for complete when they do: of them
//              no wait is counted. Nor are waits for bulk copies to global memory.
#pragma once

#include <optional>
#include <string>

#include "simulator/execute/block.h"
#include "simulator/execute/families.h"

namespace coalesce::simulator {

/// Carries out all copies that the active lanes have begun (async_copy.cpp).
void complete_copies(Warp& w);

/// cp.async.mbarrier.arrive{.noinc}: arrives at an mbarrier when the thread's copies are complete
/// (mbarrier.cpp).
Description describe_copy_arrival(const ptx::Instruction& instruction);

/// cp.async.bulk... (bulk_copy.cpp).
Description describe_bulk_copy(const ptx::Instruction& instruction);
/// Somebody asks for the end of this mbarrier's phase: carries out the bulk copies that report to it, in
/// order, as long as it waits for nothing but bytes (bulk_pending.cpp).
void complete_bulk_copies(Block& block, u32 mbarrier);
/// The bytes of the copies that report to this mbarrier and have not come.
u64 pending_bulk_bytes(const Block& block, u32 mbarrier);

/// A block of a cluster has ended: reports copies that may still read its shared memory, and carries
/// them out.
void end_copies_from(Block& block);
/// The block has ended: tells which bulk copies nobody waited for, and carries them out.
void end_bulk_copies(Block& block);

/// Whether these 8 bytes of shared memory hold an mbarrier, and the bytes that have arrived for it
/// (mbarrier.cpp).
bool is_mbarrier(const Block& block, u32 address);
/// Whether all have arrived and announced bytes have not come.
bool waits_for_bytes(const Block& block, u32 address);
void complete_bytes(Block& block, u32 address, u32 bytes);

/// What a lane waits for, at an mbarrier, that never comes (mbarrier.cpp).
struct MbarrierWait {
    std::string state, cure;
};
MbarrierWait describe_mbarrier_wait(const Warp& w, const Op& op, int lane);

}  // namespace coalesce::simulator
