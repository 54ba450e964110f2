// Data races in the shared memory of a block, and reads of shared memory that nothing wrote.
//
// Builds on  race_log.h.
// Idea       Happens-before with vector clocks, at the grain of warps. Warp w's clock [w] counts
//            the moments at which w's accesses so far were ordered before something: barriers,
//            __syncwarp, fences. Its clock [v] says up to which of v's moments w has caught up. An
//            access of v at moment c is ordered before what w does now if w's clock [v] is above c.
// Cells      As in global_race.h, a 64-bit cell says who accessed a word (or a byte, where threads
//            share words): one for the last write, two for reads.
// O(1)       Cells carry a stamp. A new block, or a barrier of the whole block, takes a new stamp,
//            which empties every cell at once.
// Grain      One object per worker; blocks that one worker alternates between each need their own.
#pragma once

#include <memory>
#include <vector>

#include "simulator/base/types.h"
#include "simulator/checks/race_log.h"
#include "simulator/code/kernel.h"

namespace coalesce::simulator {

/// One warp-wide access to shared memory.
struct SharedAccess {
    u32 warp = 0;
    u32 site = 0;  ///< Op::site
    Mask active = 0;
    const u32* addresses =
        nullptr;  ///< offsets within the block's shared memory, in bounds, one a lane
    u32 bytes_per_lane = 4;
    bool strong = false;    ///< volatile, relaxed, acquire, release: as in GlobalAccess
    bool releases = false;  ///< .release, .acq_rel on the instruction: as if a fence came before it
    StoredValue value = {};  ///< writes: what is about to be stored
    /// Reads: where to say which bytes of each lane were not written, although that is no error.
    u32* undefined = nullptr;
};

class SharedRace {
public:
    struct Wanted {
        bool races = true;          ///< racecheck
        bool uninitialised = true;  ///< initcheck
    };

    SharedRace();
    ~SharedRace();

    /// The blocks of a cluster, which one object checks together. Addresses have the rank of the
    /// block that they belong to above 24 bits; warps are numbered from block to block.
    struct Cluster {
        std::vector<u64> blocks;  ///< numbers in the grid, by rank
        u32 warps = 0;            ///< of each block
        u32 stride = 0;           ///< bytes between the shared memories of two blocks
    };

    /// `log` gathers the races of all workers of the launch. `warps`: of a block, or of all `blocks`
    /// of a cluster together.
    void begin_launch(const Kernel& kernel, RaceLog& log, Wanted wanted, u32 warps = kLanes,
                      u32 blocks = 1);
    /// `memory`: the block's shared memory, for telling stores that change nothing.
    void begin_block(u64 block_number, u32 shared_bytes, const u8* memory = nullptr);
    /// Begins a cluster, with all of its blocks. `memory`: of the first block.
    void begin_cluster(Cluster cluster, const u8* memory);
    /// The block with this rank has ended: reports accesses of others to its shared memory that
    /// nothing orders before its end.
    void end_block_of_cluster(u32 rank);
    /// Hands the counts of what was found to reports(); races wait in the log.
    void end_launch();
    /// Reports about the block that runs now.
    u64 findings() const { return findings_; }
    /// Whether accesses of this block collided that were no race because they stored what was there
    /// already: another block may do the same with other values.
    bool forgave() const;

    // ---- accesses: call these before memory changes ----

    void read(const SharedAccess& access);
    void write(const SharedAccess& access);
    void atomic(const SharedAccess& access);
    /// An operation on an mbarrier, or a copy that will report to it: such operations race with none of
    /// their kind, but with the plain stores that make the mbarrier, or overwrite it.
    void use_mbarrier(const SharedAccess& access);
    /// Bytes that came to be written by other means (an atomic that overwrites).
    void mark_written(u32 address, u32 bytes);

    /// Of the bytes that each lane has just written, these are undefined; nullptr: none.
    void mark_unwritten(const SharedAccess& access, const u32* undefined);
    /// Bit k: byte k of these (32 at most) was not written.
    u32 unwritten_bytes(u32 address, u32 bytes) const;

    // ---- what orders accesses ----

    /// A warp (or part of it) arrived at one of the block's 16 barriers: bar.sync and bar.arrive.
    void barrier_arrive(u32 id, u32 warp);
    /// The barrier completed; `waiting` are the warps that waited at it (not those that only
    /// arrived). Call it once, before any of them goes on. `whole_block`: every live warp is among
    /// them. `first_warp`: of the block in its cluster.
    void barrier_complete(u32 id, Mask waiting, bool whole_block, u32 first_warp = 0);
    /// The cluster's barrier: a warp arrives, with or without .relaxed; all have arrived; a warp
    /// has waited for that.
    void cluster_arrive(u32 warp, bool releases);
    void cluster_complete();
    void cluster_wait_done(u32 warp);
    void syncwarp(u32 warp, Mask lanes);
    void fence(u32 warp);
    /// After a strong read or an atomic: sees what was released to these addresses.
    void acquire(const SharedAccess& access);
    /// mbarrier: an arrival releases to its address, a wait (or test) that succeeded acquires from
    /// it.
    void mbarrier_arrive(u32 warp, u32 address);
    void mbarrier_wait_done(u32 warp, u32 address);

    // ---- cp.async ----

    /// A copy begins: until it is waited for, nobody may touch the bytes, its own thread included.
    void async_write(const SharedAccess& access);
    void async_commit(u32 warp, Mask lanes);
    /// cp.async.wait_group: all but the latest `groups_left` groups are complete. `everything`:
    /// cp.async.wait_all, which includes what was not committed.
    void async_wait(u32 warp, Mask lanes, u32 groups_left, bool everything = false);
    /// cp.async.mbarrier.arrive: when these copies are complete, arrives at the mbarrier.
    void async_arrive(u32 warp, Mask lanes, u32 address);

    // ---- cp.async.bulk ----

    /// A copy begins, by one lane: until bulk_end, who touches what it writes, or writes what it
    /// reads, races with it. Returns a number for bulk_end.
    u32 bulk_begin(const SharedAccess& access, bool writes);
    /// It is complete. One that writes has then also arrived at an mbarrier, which releases what its
    /// thread had done when it issued the copy.
    void bulk_end(u32 ticket, bool writes, u32 mbarrier);

    SharedRace(const SharedRace&) = delete;

    struct State;  ///< in shared_race.cpp

private:
    std::unique_ptr<State> state_;
    u64 findings_ = 0;
};

}  // namespace coalesce::simulator
