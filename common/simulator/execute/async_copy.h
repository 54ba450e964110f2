// Declares the functions that connect mbarriers with cp.async and cp.async.bulk.
//
// Counters   Hardware has no counters for waits, so copy_waits and copy_bytes_under_way are the
//            simulator's own counters. They show whether a block waits for its copies too early.
//            Whenever a warp loads from shared memory, copy_bytes_under_way grows by the bytes that
//            the block still has in flight to shared memory. It stays 0 for a loop that waits for
//            all of its copies before it loads. In a loop that copies one stage while it reads
//            another, every load adds the bytes of one stage. (The simulator runs warps one after
//            the other, from barrier to barrier. Without a barrier between copies and loads, the
//            first warp sees only its own copies.) Zeros that pad a copy are not counted.
//            A wait is counted for the instruction of the oldest pending copy:
//            - cp.async.wait_group and wait_all count as waits of a warp for the copies of its
//              active lanes, if some of these copies have not been waited for.
//            - A bulk copy counts as one wait, by the first thread that tests the copy's mbarrier.
//            - cp.async copies that report to an mbarrier count as one wait of the issuing warp, by
//              the first thread that observes the end of the phase.
//            - No wait is counted for bulk copies to global memory.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "simulator/execute/block.h"
#include "simulator/execute/families.h"

namespace coalesce::simulator {

/// Executes all pending cp.async copies of the active lanes. These copies report to the mbarriers
/// of the lanes, and `phases` contains the current phases of these mbarriers. The copies count as
/// in flight until a thread observes the end of one of the phases (async_copy.cpp).
void report_copies(Warp& w, std::vector<MbarrierPhase> phases);
/// Counts a wait for the copies that complete when this phase ends.
void count_wait_for_reported_copies(Warp& w, MbarrierPhase phase);

/// Returns the description of cp.async.mbarrier.arrive{.noinc}, which arrives at an mbarrier when
/// the thread's copies are complete (mbarrier.cpp).
Description describe_copy_arrival(const ptx::Instruction& instruction);

/// Returns the description of a cp.async.bulk instruction (bulk_copy.cpp).
Description describe_bulk_copy(const ptx::Instruction& instruction);
/// Executes the bulk copies that report to the mbarrier, the oldest first. Stops when the mbarrier
/// waits for no more bytes. Does nothing if the mbarrier still waits for threads.
/// Must be called when a thread tests whether the mbarrier's phase has ended.
void complete_bulk_copies(Block& block, u32 mbarrier);
/// Returns the total size in bytes of the pending bulk copies that will report to this mbarrier.
u64 pending_bulk_bytes(const Block& block, u32 mbarrier);

/// Handles pending copies that read the shared memory of `block` and write to another block of the
/// cluster: reports an error for each, and completes it. Must be called when `block` has ended.
void end_copies_that_read(Block& block);
/// Reports the bulk copies that no thread has waited for, and completes them. Must be called when
/// the block has ended.
void end_bulk_copies(Block& block);

/// Reports whether the 8 bytes of shared memory at `address` are an mbarrier (mbarrier.cpp).
bool is_mbarrier(const Block& block, u32 address);
/// Reports whether the mbarrier at `address` still waits for bytes, but no longer for threads.
bool waits_for_bytes(const Block& block, u32 address);
/// Adds `bytes` to the number of bytes that have arrived in the mbarrier's current phase.
void add_arrived_bytes(Block& block, u32 address, u32 bytes);

/// The texts of a report about an mbarrier for which a lane waits forever: the mbarrier's state,
/// and how to fix the program.
struct MbarrierWaitText {
    std::string state, cure;
};
MbarrierWaitText describe_mbarrier_wait(const Warp& w, const Op& op, int lane);

}  // namespace coalesce::simulator
