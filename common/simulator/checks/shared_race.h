// Detects data races in the shared memory of a block, and reads of uninitialized shared memory.
//
// Builds on  race_log.h.
// Idea       Each warp has a vector clock, which determines the accesses that happened before the
//            warp's next access. Entry [w] of warp w's own clock is w's time, which counts the
//            events that order w's accesses before others: barriers, __syncwarp, fences. Entry [v]
//            is the time of warp v up to which w is ordered after v. An access by v at time c is
//            ordered before w's next access if entry [v] of w's clock is above c.
// Cells      As in global_race.h, a 64-bit cell stores which lane accessed a word (or a byte, if
//            threads share words). Each word has one cell for the last write and two cells for
//            reads.
// O(1)       Cells contain a stamp. A new block, or a barrier of the whole block, uses a new stamp,
//            which makes all cells stale in one step.
// Grain      There is one SharedRace per worker. If a worker alternates between blocks, each block
//            needs its own SharedRace.
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
    bool strong = false;  ///< true for volatile, relaxed, acquire or release (see GlobalAccess)
    /// True if the instruction is .release or .acq_rel, and therefore acts as if a fence preceded
    /// it.
    bool releases = false;
    StoredValue value = {};  ///< for writes, the value that will be stored
    /// For reads, receives a mask of each lane's uninitialized bytes if reading them is not an
    /// error.
    u32* undefined = nullptr;
};

class SharedRace {
public:
    struct EnabledChecks {
        bool races = true;          ///< true if racecheck is enabled
        bool uninitialised = true;  ///< true if initcheck is enabled
    };

    SharedRace();
    ~SharedRace();

    /// The blocks of a cluster, which are checked together. The bits of an address above the low 24
    /// contain the rank of the block that owns the memory. Warps are numbered consecutively from
    /// block to block.
    struct Cluster {
        std::vector<u64> blocks;  ///< the blocks' numbers in the grid, by rank
        u32 warps = 0;            ///< the number of warps per block
        /// The distance in bytes from the shared memory of one block to the shared memory of the
        /// next block.
        u32 stride = 0;
    };

    /// Starts a launch. `log` collects the races that all workers find. `warps` is the number of
    /// warps in a block, or in all `blocks` of a cluster together.
    void begin_launch(const Kernel& kernel, RaceLog& log, EnabledChecks wanted, u32 warps = kLanes,
                      u32 blocks = 1);
    /// Starts a block. `memory` is the block's shared memory, which is needed to tell whether a
    /// store changes a value.
    void begin_block(u64 block_number, u32 shared_bytes, const u8* memory = nullptr);
    /// Starts a cluster with all of its blocks. `memory` is the shared memory of the first block.
    void begin_cluster(Cluster cluster, const u8* memory);
    /// Records that the block with this rank has ended. Reports other blocks' accesses to its
    /// shared memory that are not ordered before its end.
    void end_block_of_cluster(u32 rank);
    /// Reports the remaining uninitialized reads. Races stay in the log.
    void end_launch();
    /// Returns the number of reports about the current block.
    u64 findings() const { return findings_; }
    /// Reports whether accesses in this block collided but did not count as races, because they
    /// stored equal values. In another block, the values may differ.
    bool ignored_equal_stores() const;

    // ---- accesses: call these before the memory changes ----

    void read(const SharedAccess& access);
    void write(const SharedAccess& access);
    void atomic(const SharedAccess& access);
    /// Records an operation on an mbarrier, or a copy that will report to it. Such operations do
    /// not race with each other, but they race with plain stores that create or overwrite the
    /// mbarrier.
    void use_mbarrier(const SharedAccess& access);
    /// Marks bytes as initialized that were written without a call of write(), for example by an
    /// atomic.
    void mark_written(u32 address, u32 bytes);

    /// Marks bytes as uninitialized after the lanes have written them. `undefined` contains a mask
    /// of these bytes for each lane, or is null if there are none.
    void mark_unwritten(const SharedAccess& access, const u32* undefined);
    /// Returns a mask of the uninitialized bytes in this range of at most 32 bytes.
    u32 unwritten_bytes(u32 address, u32 bytes) const;

    // ---- synchronization ----

    /// Records that a warp, or part of it, arrives at one of the block's 16 barriers (bar.sync and
    /// bar.arrive).
    void barrier_arrive(u32 id, u32 warp);
    /// Records that the barrier has completed. Must be called once, before any warp continues.
    /// `waiting` contains the warps that waited at the barrier, but not the warps that only
    /// arrived. `whole_block` is true if `waiting` includes all live warps. `first_warp` is the
    /// block's first warp in its cluster.
    void barrier_complete(u32 id, Mask waiting, bool whole_block, u32 first_warp = 0);
    /// cluster_arrive records that a warp arrives at the cluster's barrier (`releases` is false for
    /// .relaxed), cluster_complete that all warps have arrived, and cluster_wait_done that a warp
    /// has waited for the barrier.
    void cluster_arrive(u32 warp, bool releases);
    void cluster_complete();
    void cluster_wait_done(u32 warp);
    /// Records a __syncwarp of these lanes. `live` contains the lanes of the warp that have not
    /// exited. The barrier does not order the accesses of live lanes that are not in `lanes`.
    void syncwarp(u32 warp, Mask lanes, Mask live = kAllLanes);
    void fence(u32 warp);
    /// Acquires the accesses that were released to these addresses. Must be called after a strong
    /// read or an atomic.
    void acquire(const SharedAccess& access);
    /// mbarrier_arrive records that a warp arrives at an mbarrier, which releases the warp's
    /// accesses. mbarrier_wait_done records that a wait or test succeeded, which acquires the
    /// released accesses.
    void mbarrier_arrive(u32 warp, u32 address);
    void mbarrier_wait_done(u32 warp, u32 address);
    /// count_arrival records that lanes are counted in the current phase of their mbarriers, and
    /// reports an arrival that could have been counted in the previous phase. count_arrival must be
    /// called after mbarrier_arrive. mbarrier_phase_done records that a phase has ended.
    void count_arrival(const SharedAccess& access);
    void mbarrier_phase_done(u32 address);

    // ---- cp.async ----

    /// Records that a copy starts. Until the issuing thread has waited for the copy, no thread may
    /// access the bytes that the copy writes, not even the issuing thread.
    void async_write(const SharedAccess& access);
    void async_commit(u32 warp, Mask lanes);
    /// Handles cp.async.wait_group, which completes all groups except the latest `groups_left`.
    /// `everything` is true for cp.async.wait_all, which also completes copies that were not
    /// committed.
    void async_wait(u32 warp, Mask lanes, u32 groups_left, bool everything = false);
    /// Handles cp.async.mbarrier.arrive, which arrives at the mbarrier when these copies are
    /// complete.
    void async_arrive(u32 warp, Mask lanes, u32 address);

    // ---- cp.async.bulk ----

    /// Records a fence.proxy.async. Bulk copies after the fence see the stores that are ordered
    /// before the fence.
    void fence_proxy(u32 warp);
    /// Reports a race if a bulk copy, which uses the asynchronous proxy, may not see a store that
    /// is ordered before it. `writes` is true if the copy overwrites the bytes.
    void check_proxy(const SharedAccess& access, bool writes);

    /// Records that one lane starts a copy. Until end_bulk_copy, the copy races with accesses to
    /// the bytes that it writes, and with writes to the bytes that it reads. Returns a ticket for
    /// end_bulk_copy.
    u32 begin_bulk_copy(const SharedAccess& access, bool writes);
    /// Records that the copy is complete. A copy that writes to shared memory also arrives at an
    /// mbarrier, which releases the accesses that its thread had made before it issued the copy.
    void end_bulk_copy(u32 ticket, bool writes, u32 mbarrier);

    SharedRace(const SharedRace&) = delete;

    struct State;  ///< defined in shared_race.cpp

private:
    std::unique_ptr<State> state_;
    u64 findings_ = 0;
};

}  // namespace coalesce::simulator
