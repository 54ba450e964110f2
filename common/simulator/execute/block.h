// The state of a running thread block and of its launch.
//
// Builds on  warp.h.
// Idea       A worker (a host thread) runs one block at a time, warp after warp, until every warp
//            has exited or is waiting. If a block waits for other blocks, the worker suspends it
//            and starts another block (scheduler.cpp).
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "simulator/base/device_model.h"
#include "simulator/checks/global_race.h"
#include "simulator/checks/read_marks.h"
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

/// The state that all workers of a launch share.
struct Launch {
    Kernel* kernel = nullptr;
    const Kernel::Code* code = nullptr;
    LaunchConfig config;
    DeviceMemory* memory = nullptr;
    std::shared_ptr<const AllocationTable> allocations;
    Checks checks;
    std::vector<u8> parameters;         ///< the kernel's parameter memory
    GlobalRace* global_race = nullptr;  ///< null if global memory is not checked for races
    /// The marks of the bytes that the launch reads in allocations that it does not write. Null if
    /// no check needs the marks.
    ReadMarks* read_marks = nullptr;

    std::atomic<int> status{0};  ///< the Status of the first failure, or 0 if there was none
    std::atomic<u64> next_block{0};
    /// The maximum number of warp instructions of the launch; 0 means no limit.
    u64 instruction_limit = 0;
    std::atomic<u64> instructions_spent{0};
    u64 launch_number = 0;  ///< the number of earlier launches of the process (%gridid)
    /// The value of the device's clock at the start of the launch, in cycles.
    u64 start_cycles = 0;
    /// The number of cycles by which the clocks advance for each warp instruction. On hardware, a
    /// warp takes about 4 cycles per instruction if only one block runs.
    u64 cycles_per_instruction = 4;
    u64 skipped_cycles = 0;  ///< the cycles that the clocks have skipped while all blocks waited
    u64 stack_limit = 0;     ///< the size of each thread's stack in bytes (cudaLimitStackSize)
    /// The device address of the barrier that cooperative_groups uses for the whole grid.
    u64 grid_workspace = 0;

    Progress* progress = nullptr;  ///< receives the number of blocks that have ended

    // The listener that records the steps of blocks (recorder.h), or null.
    StepListener* recorder = nullptr;
    /// The only block that `recorder` observes, or ~0 if it observes every block that runs.
    u64 recorded_block = ~u64{0};
    std::vector<u64> only_blocks;     ///< the only blocks that run; if empty, all blocks run
    std::vector<u64> skipped_blocks;  ///< blocks that this launch's workers do not run
    /// A function that runs a block in `skipped_blocks`. It is called when the block's turn in the
    /// launch comes. Empty if the skipped blocks have run before the launch.
    std::function<void(u64)> run_skipped_block;
    /// The adjacent blocks whose sectors are recorded (the neighbours): the index of the first
    /// block, and the number of blocks.
    u64 first_neighbour = 0, neighbour_count = 0;
    /// The blocks in the next row of the grid, below the neighbours, for which sectors are recorded
    /// too: the index of the first such block, and the number of such blocks.
    u64 first_block_below = 0, block_count_below = 0;
    /// True if accesses to global memory are recorded but not executed.
    bool is_dry_run = false;
    /// The steps of an earlier block without errors. The ledgers compare other blocks with these
    /// steps. Null if there is no such block.
    std::shared_ptr<const SharedLedger::Steps> clean_block;

    bool is_neighbour(u64 block) const { return block - first_neighbour < neighbour_count; }
    bool is_recorded(u64 block) const {
        return is_neighbour(block) || block - first_block_below < block_count_below;
    }
    bool is_skipped(u64 block) const {
        return std::find(skipped_blocks.begin(), skipped_blocks.end(), block) !=
               skipped_blocks.end();
    }
    bool has_failed() const { return status.load(std::memory_order_relaxed) != 0; }
    void fail(Status s) {
        int expected = 0;
        status.compare_exchange_strong(expected, static_cast<int>(s));
    }
};

/// One of a block's 16 hardware barriers.
struct Barrier {
    u32 expected_threads = 0;  ///< the number of threads to wait for; 0 means the whole block
    /// The number of threads that arrived with bar.arrive, without waiting.
    u32 nonwaiting_arrivals = 0;
    bool is_in_use = false;
    /// For bar.red, the number of threads that have arrived, and how many of them have a true
    /// predicate.
    u32 votes = 0, true_votes = 0;
    Mask waiting_warps = 0;  ///< the warps whose live lanes all wait at this barrier
};

/// The number of bytes announced to an mbarrier in its current phase, and the number of these bytes
/// that have arrived.
struct PhaseBytes {
    i64 announced_bytes = 0, arrived_bytes = 0;
    i64 last_announced_bytes = 0;  ///< the bytes announced in the previous phase
    /// True if a thread waited for parity 1 during the mbarrier's first phase. Such a wait does not
    /// block.
    bool has_ended_wait_at_once = false;
};

/// A phase of an mbarrier: the offset of the mbarrier, and the parity of the phase.
struct MbarrierPhase {
    u32 address = 0;
    bool parity = false;
    bool operator==(const MbarrierPhase&) const = default;
};

/// Copies that one warp has executed by cp.async, and that report to mbarriers.
struct ReportedCopies {
    u32 warp = 0;
    u32 site = 0;  ///< the site of the first copy
    u64 bytes = 0;
    /// The phases to which the copies report. A thread that observes the end of one of these phases
    /// knows that the copies have arrived.
    std::vector<MbarrierPhase> phases;
};

struct Block {
    Launch* launch = nullptr;
    bool is_busy = false;  ///< if false, the worker may reuse this object for another block
    /// True if the block need not continue, because the listener needs no more of its steps.
    bool is_abandoned = false;
    Cluster* cluster = nullptr;  ///< the block's cluster (cluster.h), or null
    u32 rank = 0;                ///< the block's rank in the cluster
    /// The index of the block's first warp within the cluster, for the race check of shared memory.
    u32 first_warp = 0;
    bool has_ended = false;  ///< true if the block has ended while its cluster still runs
    bool uses_cluster_barrier = false;  ///< true if a warp has arrived at the cluster's barrier
    u64 linear_index = 0;               ///< the block's index in the grid, with x varying fastest
    Dim3 index{0, 0, 0};
    u32 threads = 0;

    std::vector<Warp> warps;
    u8* uniform_registers = nullptr;  ///< the register file shared by all warps
    u8* shared = nullptr;
    u32 shared_bytes = 0;
    /// True if the kernel uses the shared memory reserved for the system, which occupies the
    /// highest addresses.
    bool uses_reserved_shared = false;
    u8* local_memory = nullptr;  ///< the local memory of all threads
    Barrier barriers[16];
    Mask finished_warps = 0;

    SharedRace* shared_race = nullptr;  ///< null if shared memory is not checked for races
    SharedLedger ledger;
    /// For each warp, the cp.async copies that have been issued but not waited for yet
    /// (async_copy.cpp).
    struct AsyncCopies;
    std::shared_ptr<AsyncCopies> async_copies;
    /// The pending copies of cp.async.bulk for the whole block (bulk_copy.cpp).
    struct BulkCopies;
    std::shared_ptr<BulkCopies> bulk_copies;
    /// Copies by cp.async that have been executed but still count as in flight, because no thread
    /// has observed the end of an mbarrier phase to which they report.
    std::vector<ReportedCopies> reported_copies;
    /// The bytes that asynchronous copies have in flight to the block's shared memory.
    u64 copy_bytes_in_flight = 0;
    /// The byte counts of each mbarrier's current phase, keyed by the mbarrier's offset
    /// (mbarrier.cpp).
    std::unordered_map<u32, PhaseBytes> phase_bytes;
    /// The instruction that initialized each mbarrier, keyed by the mbarrier's offset
    /// (mbarrier.cpp).
    std::unordered_map<u32, const Op*> mbarrier_inits;
    /// The undefined bytes in the registers of each warp, keyed by the index of the warp. Only
    /// warps that have undefined bytes have an entry.
    std::unordered_map<u32, UndefinedBytes> undefined_bytes_of_warps;

    /// The number of cycles since the start of the launch, as read by clock instructions:
    /// cycles_per_instruction for every warp instruction of this block, plus the cycles that
    /// nanosleep waited (special_registers.h).
    u64 cycles = 0;

    Watch* watch = nullptr;  ///< the Watch of the worker that runs the block
    WaitingState waiting_state;

    FramePool frames;  ///< frames for the calls that the block's warps are executing
    GlobalRace::Block global_race;

    bool is_in_own_shared(u64 address, u32 bytes) const {
        if (address < shared_bytes) return bytes <= shared_bytes - address;
        const u64 offset = address - DeviceModel::shared_reserved_begin;
        return uses_reserved_shared && offset < DeviceModel::shared_reserved_used &&
               bytes <= DeviceModel::shared_reserved_used - offset;
    }
    /// Returns the offset just past the last byte of shared memory that the block may access.
    u32 shared_end() const {
        return uses_reserved_shared
                   ? DeviceModel::shared_reserved_begin + DeviceModel::shared_reserved_used
                   : shared_bytes;
    }

    Dim3 dimensions() const { return launch->config.block; }
    Dim3 grid() const { return launch->config.grid; }
};

/// Returns the number of the warp in the race check of shared memory. The race check numbers the
/// warps of all blocks of a cluster consecutively.
inline u32 race_check_warp(const Warp& w) {
    return w.block->first_warp + w.index;
}

/// Returns a number that orders the threads of a launch by the index of their block, and then by
/// their index in the block.
inline u64 thread_number(const Warp& w, int lane) {
    return w.block->linear_index << 10 | (w.index * kLanes + static_cast<u64>(lane));
}

}  // namespace coalesce::simulator
