// Detects data races in the shared memory of a block or cluster, and reads of uninitialized shared
// memory.
//
// Builds on  race_log.h.
// Idea       Each warp has a vector clock, with an entry for every warp. A warp's entry for itself
//            is its current time, which advances at barriers, __syncwarp and fences. The entry of
//            warp w for another warp v is the time of v up to which the two warps are synchronized.
//            An access by v at time c is ordered before the next access by w if w's entry for v is
//            above c.
// Cells      As in global_race.h, a 64-bit cell stores which lane accessed a word (or a byte, if
//            threads share words). Each word has one cell for the last write and two cells for
//            reads.
// O(1)       Cells contain a stamp. A new block, or a barrier of the whole block, uses a new stamp,
//            which makes all cells stale in one step.
// Grain      Each worker has its own SharedRace. A worker that alternates between several blocks
//            needs one SharedRace for each of them.
#pragma once

#include <memory>
#include <vector>

#include "simulator/base/types.h"
#include "simulator/checks/race_log.h"
#include "simulator/code/kernel.h"

namespace coalesce::simulator {

/// A warp-wide access to shared memory.
struct SharedAccess {
    u32 warp = 0;
    u32 site = 0;  ///< the index of the instruction in Kernel::sites (Op::site)
    Mask active = 0;
    /// Each lane's offset in the block's shared memory. All offsets are in bounds.
    const u32* addresses = nullptr;
    u32 bytes_per_lane = 4;
    /// True for volatile, .relaxed, .acquire and .release accesses (see GlobalAccess).
    bool is_strong = false;
    /// True if the instruction is .release or .acq_rel. Such an instruction acts as if a fence
    /// preceded it.
    bool releases = false;
    StoredValue value = {};  ///< for writes, the value to be stored
    /// For a read that may load uninitialized bytes, an array with one element per lane. In each
    /// element, the check stores a mask of the uninitialized bytes that the lane reads. Null for
    /// all other accesses.
    u32* undefined_bytes = nullptr;
};

class SharedRace {
public:
    struct EnabledChecks {
        bool checks_races = true;          ///< true if racecheck is enabled
        bool checks_uninitialised = true;  ///< true if initcheck is enabled
    };

    SharedRace();
    ~SharedRace();

    /// The blocks of a cluster, which are checked together. The low 24 bits of an address are the
    /// offset in a block's shared memory. The higher bits are the rank of the block. Warps are
    /// numbered consecutively across the blocks.
    struct Cluster {
        std::vector<u64> block_indices;  ///< each block's index in the grid, by rank
        u32 warps = 0;                   ///< the number of warps per block
        /// The distance in bytes from the shared memory of one block to the shared memory of the
        /// next block.
        u32 stride = 0;
    };

    /// Starts a launch. `log` collects the races that all workers find. `warps` is the number of
    /// warps in a block or, if the launch has clusters, in all blocks of a cluster. `blocks` is the
    /// number of blocks in a cluster, or 1 if the launch has no clusters.
    void begin_launch(const Kernel& kernel, RaceLog& log, EnabledChecks enabled_checks,
                      u32 warps = kLanes, u32 blocks = 1);
    /// Starts a block. `memory` is the block's shared memory. The checker reads `memory` to
    /// determine whether a store changes a value.
    void begin_block(u64 block_number, u32 shared_bytes, const u8* memory = nullptr);
    /// Starts a cluster with all of its blocks. `memory` is the shared memory of the first block.
    void begin_cluster(Cluster cluster, const u8* memory);
    /// Records that the block with this rank has ended. Reports the accesses by other blocks to the
    /// shared memory of this block that may come after its end.
    void end_block_of_cluster(u32 rank);
    /// Reports the remaining uninitialized reads. Races stay in the log.
    void end_launch();
    /// Returns the number of reports about the current block.
    u64 report_count() const { return report_count_; }
    /// Reports whether races in this block were ignored because the stores wrote equal values.
    /// Other blocks must still be checked, because their values may differ.
    bool has_ignored_equal_stores() const;

    // ---- accesses: call these before the memory changes ----

    void check_read(const SharedAccess& access);
    void check_write(const SharedAccess& access);
    void check_atomic(const SharedAccess& access);
    /// Checks an operation on an mbarrier, or the start of a copy that will signal the mbarrier.
    /// Such operations do not race with each other, but they race with plain stores that overwrite
    /// the mbarrier.
    void check_mbarrier_use(const SharedAccess& access);
    /// Marks bytes as initialized. Must be called for bytes that were written without a call of
    /// check_write(), for example by an atomic.
    void mark_written(u32 address, u32 bytes);

    /// Marks as uninitialized the bytes to which the lanes have stored uninitialized values.
    /// `undefined_bytes` contains one mask of such bytes per lane, or is null if there are no such
    /// bytes.
    void mark_unwritten(const SharedAccess& access, const u32* undefined_bytes);
    /// Returns a mask of the uninitialized bytes in [address, address + bytes). `bytes` is at most
    /// 32.
    u32 find_unwritten_bytes(u32 address, u32 bytes) const;

    // ---- synchronization ----

    /// Records that lanes of a warp arrive at one of the block's 16 barriers (bar.sync or
    /// bar.arrive).
    void record_barrier_arrival(u32 id, u32 warp);
    /// Records that the barrier has completed. Must be called once, before any warp continues.
    /// `waiting_warps` contains the warps that waited, but not those that only arrived.
    /// `is_whole_block` is true if all live warps waited. `first_warp` is the index of the block's
    /// first warp within its cluster.
    void complete_barrier(u32 id, Mask waiting_warps, bool is_whole_block, u32 first_warp = 0);
    /// record_cluster_arrival records that a warp arrives at the cluster's barrier; `releases` is
    /// false for .relaxed. complete_cluster_barrier records that all warps have arrived.
    /// record_cluster_wait records that a warp has waited for the barrier.
    void record_cluster_arrival(u32 warp, bool releases);
    void complete_cluster_barrier();
    void record_cluster_wait(u32 warp);
    /// Records a __syncwarp by `lanes`. `live_lanes` contains the lanes of the warp that have not
    /// exited. The barrier does not order the accesses of live lanes that are not in `lanes`.
    void record_syncwarp(u32 warp, Mask lanes, Mask live_lanes = kAllLanes);
    void record_fence(u32 warp);
    /// Orders the lanes' later accesses after the accesses that other warps have released through
    /// the addresses of `access`. Must be called after a strong read or an atomic.
    void acquire(const SharedAccess& access);
    /// record_mbarrier_arrival records that a warp arrives at an mbarrier. The arrival releases the
    /// warp's accesses. record_mbarrier_wait records that the warp has waited for the mbarrier, or
    /// tested it successfully. The wait acquires the released accesses.
    void record_mbarrier_arrival(u32 warp, u32 address);
    void record_mbarrier_wait(u32 warp, u32 address);
    /// Counts the arrivals of the lanes in the current phase of their mbarriers. Reports an arrival
    /// that might count for the previous phase if the threads ran in another order. Must be called
    /// after record_mbarrier_arrival.
    void check_arrival_phase(const SharedAccess& access);
    void record_phase_end(u32 address);

    // ---- cp.async ----

    /// Records that a copy starts. No thread may access the bytes that the copy writes until the
    /// issuing thread has waited for the copy.
    void begin_async_copy(const SharedAccess& access);
    void commit_async_copies(u32 warp, Mask lanes);
    /// Handles cp.async.wait_group, which completes all groups of copies except the latest
    /// `max_pending_groups` groups. `waits_for_all` is true for cp.async.wait_all, which also
    /// completes copies that were not committed.
    void wait_for_async_copies(u32 warp, Mask lanes, u32 max_pending_groups,
                               bool waits_for_all = false);
    /// Handles cp.async.mbarrier.arrive, which arrives at the mbarrier once all earlier copies of
    /// the lanes are complete.
    void record_async_arrival(u32 warp, Mask lanes, u32 address);

    // ---- cp.async.bulk ----

    /// Records a fence.proxy.async, which makes earlier stores visible to later bulk copies.
    void record_proxy_fence(u32 warp);
    /// Checks a bulk copy that reads or overwrites bytes which a thread has stored before. Reports
    /// a race if there is no proxy fence between the store and the copy, because the copy may then
    /// not see the store. `is_write` is true if the copy overwrites the bytes.
    void check_proxy_fence(const SharedAccess& access, bool is_write);

    /// Records that one lane starts a copy. Until end_bulk_copy, no thread may access the bytes
    /// that the copy writes, or write the bytes that the copy reads. Returns the `copy_id` to pass
    /// to end_bulk_copy.
    u32 begin_bulk_copy(const SharedAccess& access, bool is_write);
    /// Records that the copy is complete. A copy that writes to shared memory also arrives at
    /// `mbarrier`.
    void end_bulk_copy(u32 copy_id, bool is_write, u32 mbarrier);

    SharedRace(const SharedRace&) = delete;

    struct State;  ///< defined in shared_race.cpp

private:
    std::unique_ptr<State> state_;
    u64 report_count_ = 0;
};

}  // namespace coalesce::simulator
