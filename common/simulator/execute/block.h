// A thread block while it runs, and the launch that it belongs to.
//
// Builds on  warp.h.
// Idea       A worker (a host thread) runs one block at a time, warp after warp, until every warp
//            has ended or waits. A block that waits for other blocks is put aside and another one
//            begun (scheduler.cpp).
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "simulator/base/device_model.h"
#include "simulator/checks/global_race.h"
#include "simulator/checks/shared_race.h"
#include "simulator/code/function_code.h"
#include "simulator/execute/calls.h"
#include "simulator/execute/shared_ledger.h"
#include "simulator/execute/undefined.h"
#include "simulator/execute/warp.h"
#include "simulator/execute/watch.h"

namespace coalesce::simulator {

class Progress;
struct Cluster;

/// What all workers of a launch share.
struct Launch {
    Kernel* kernel = nullptr;
    const Kernel::Code* code = nullptr;
    LaunchConfig config;
    DeviceMemory* memory = nullptr;
    std::shared_ptr<const AllocationTable> allocations;
    Checks checks;
    std::vector<u8> parameters;         ///< the kernel's parameter memory
    GlobalRace* global_race = nullptr;  ///< nullptr: not checked

    std::atomic<int> status{0};  ///< Status of the first failure
    std::atomic<u64> next_block{0};
    u64 instruction_limit = 0;  ///< warp instructions; 0: none
    std::atomic<u64> instructions_spent{0};
    u64 number = 0;       ///< of launches before this one in the process: %gridid
    u64 started_at = 0;   ///< clock_of() when it began: clocks never go back
    u64 leapt = 0;        ///< cycles that the clocks have leapt on, because nothing else happened
    u64 stack_limit = 0;  ///< bytes of each thread for calls (cudaLimitStackSize)
    u64 grid_workspace = 0;  ///< device address: cooperative_groups keeps its grid barrier here

    Progress* progress = nullptr;  ///< to be told of blocks that have ended

    // What is recorded of it (recorder.h).
    StepListener* recorder = nullptr;  ///< to every block that is run
    std::vector<u64> only;             ///< these blocks are run; none: all are
    std::vector<u64> left_out;         ///< these are not
    std::function<void(u64)>
        in_turn;  ///< of those, runs one when its turn comes; none: they have run
    u64 first_neighbour = 0, neighbours = 0;
    u64 first_below = 0, below = 0;  ///< of those in the grid's next row
    bool only_heard = false;         ///< global memory is asked for, and not touched
    /// What a clean block did in shared memory, of those that were run before; nullptr: there was none.
    std::shared_ptr<const SharedLedger::Steps> clean_block;

    bool is_neighbour(u64 block) const { return block - first_neighbour < neighbours; }
    bool is_heard(u64 block) const { return is_neighbour(block) || block - first_below < below; }
    bool leaves_out(u64 block) const {
        return std::find(left_out.begin(), left_out.end(), block) != left_out.end();
    }
    bool failed() const { return status.load(std::memory_order_relaxed) != 0; }
    void fail(Status s) {
        int expected = 0;
        status.compare_exchange_strong(expected, static_cast<int>(s));
    }
};

/// One of a block's 16 hardware barriers.
struct Barrier {
    u32 expected = 0;      ///< threads that the barrier was given; 0: the whole block
    u32 arrived_only = 0;  ///< threads that came with bar.arrive and do not wait
    bool in_use = false;
    u32 votes = 0, yes = 0;  ///< of bar.red: threads that came, and whose predicate is true
    Mask waiting = 0;        ///< warps all of whose live lanes wait there
};

/// What an mbarrier was told of bytes in its current phase.
struct PhaseBytes {
    i64 announced = 0, came = 0;
    i64 announced_before = 0;  ///< in the phase before
};

struct Block {
    Launch* launch = nullptr;
    bool busy = false;           ///< else its worker may make another one of it
    bool is_given_up = false;    ///< who listens to it needs no more: it need not come to its end
    Cluster* cluster = nullptr;  ///< that it belongs to (cluster.h); nullptr: it is alone
    u32 rank = 0;                ///< in its cluster
    u32 first_warp = 0;          ///< in its cluster, for the race check of shared memory
    bool has_ended = false;      ///< while other blocks of its cluster still run
    bool uses_cluster_barrier = false;  ///< a warp of its cluster has arrived there
    u64 linear = 0;                     ///< number of the block in the grid, x fastest
    Dim3 index{0, 0, 0};
    u32 threads = 0;

    std::vector<Warp> warps;
    u8* uniform = nullptr;  ///< the file that all warps share
    u8* shared = nullptr;
    u32 shared_bytes = 0;
    bool reserved_shared = false;  ///< the kernel uses what the system reserves, at the end of all
    u8* local = nullptr;           ///< local memory of all threads
    Barrier barriers[16];
    Mask finished_warps = 0;

    SharedRace* shared_race = nullptr;  ///< nullptr: not checked
    SharedLedger ledger;
    /// cp.async copies that have been issued and not yet waited for, by warp (async_copy.cpp).
    struct AsyncCopies;
    std::shared_ptr<AsyncCopies> async_copies;
    /// Likewise of cp.async.bulk, by the block (bulk_copy.cpp).
    struct BulkCopies;
    std::shared_ptr<BulkCopies> bulk_copies;
    u64 copy_bytes_under_way = 0;                       ///< of both kinds, to shared memory
    std::unordered_map<u32, PhaseBytes> phase_bytes;    ///< of mbarriers, by offset (mbarrier.cpp)
    std::unordered_map<u32, UndefinedBytes> undefined;  ///< of its warps that have some

    /// Cycles since the launch began, for the clocks: kCyclesPerInstruction for every warp
    /// instruction of this block, and what nanosleep slept (special_registers.h).
    u64 cycles = 0;

    Watch* watch = nullptr;  ///< of the worker that runs it
    WaitingState waiting;

    FramePool frames;  ///< of the calls that its warps are in
    GlobalRace::Block global_race;

    bool has_shared(u64 address, u32 bytes) const {
        if (address < shared_bytes) return bytes <= shared_bytes - address;
        const u64 into = address - DeviceModel::shared_reserved_begin;
        return reserved_shared && into < DeviceModel::shared_reserved_used &&
               bytes <= DeviceModel::shared_reserved_used - into;
    }
    /// Where the last byte ends that has_shared.
    u32 shared_end() const {
        return reserved_shared
                   ? DeviceModel::shared_reserved_begin + DeviceModel::shared_reserved_used
                   : shared_bytes;
    }

    Dim3 dimensions() const { return launch->config.block; }
    Dim3 grid() const { return launch->config.grid; }
};

/// The warp's number in the race check of shared memory, which knows all blocks of a cluster.
inline u32 race_warp(const Warp& w) {
    return w.block->first_warp + w.index;
}

/// Threads of a launch, in the order in which blocks and threads are numbered.
inline u64 rank_of(const Warp& w, int lane) {
    return w.block->linear << 10 | (w.index * kLanes + static_cast<u64>(lane));
}

}  // namespace coalesce::simulator
