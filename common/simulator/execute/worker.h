// A worker: a host thread that runs blocks of a launch, and the memory that it needs.
//
// Builds on  scheduler.h.
// Idea       A Resident is a running block together with its register files, shared memory and
//            local memory. As long as every block runs to completion, one Resident is enough. A
//            block that waits for other blocks keeps its Resident, and the next block gets another
//            one. There are at most as many Residents as blocks fit on the simulated device.
#pragma once

#include <memory>
#include <random>
#include <vector>

#include "simulator/execute/recorder.h"
#include "simulator/execute/scheduler.h"

namespace coalesce::simulator {

struct Cluster;          ///< a running cluster (cluster.h)
struct ResidentCluster;  ///< a cluster with its memory (cluster_worker.cpp)

/// Host memory aligned for the widest vector registers. allocate() reuses the memory if it is large
/// enough.
class AlignedBytes {
public:
    u8* allocate(u64 bytes);

private:
    std::unique_ptr<u8[], void (*)(u8*)> memory_{nullptr, [](u8* bytes) { ::free(bytes); }};
    u64 size_ = 0;
};

/// A running block, together with the memory to which its pointers refer.
struct Resident : Block {
    SharedRace block_race;
    AlignedBytes block_registers, own_uniform, own_shared, own_local, own_local_shadow,
        own_parameters;
    std::vector<u64> last_row_addresses;
};

/// The totals of one worker, over all blocks that it has run.
struct WorkerTotals {
    const Kernel::Code* code = nullptr;
    std::vector<SiteCounters> sites;
    std::vector<u64> straight_line_counts;
    u64 instructions = 0, lane_instructions = 0, branches = 0, divergent_branches = 0;
};

class Worker {
public:
    Worker();
    ~Worker();
    /// Prepares for a launch. Reuses the Residents of earlier launches.
    void begin_launch(Launch& launch, RaceLog& shared_log, u64 order_seed, u64 max_resident);
    /// Runs blocks until none is left or the launch has failed.
    void run();
    /// Returns the steps of a block without errors (shared_ledger.h), or null if there was no such
    /// block.
    std::shared_ptr<const SharedLedger::Steps> clean_block() const;
    /// Ends the launch and reports the checkers' findings.
    void end_launch();
    WorkerTotals totals;
    NeighbourLog neighbour_log;

private:
    Block& begin_block(u64 number, Cluster* cluster = nullptr);
    void prepare_block(Resident& block);
    void prepare_checks(Resident& block);
    void start_warps(Block& block);
    void attach_listeners(Warp& w);
    void end_block(Block& block);
    u64 block_number(u64 position) const;
    /// Runs a block until it ends or waits for other blocks. A block that waits for others stays
    /// resident.
    void advance_block(Block& block);
    void run_blocks();
    void run_round();
    // The functions that run launches with clusters (cluster_worker.cpp).
    void prepare_clusters();
    Cluster& free_cluster();
    Cluster& begin_cluster(u64 number);
    static void enter_cluster(Resident& block, Cluster* cluster);
    void leave_cluster(Block& block);
    void run_cluster(Cluster& cluster);
    void run_clusters();
    void end_clusters();
    void report_stuck_grid();
    void report_waiting_for_host();
    void report_no_memory();

    Launch* launch_ = nullptr;
    RaceLog* shared_log_ = nullptr;
    u64 order_seed_ = 0, max_resident_blocks_ = 1, block_count_ = 0;
    std::vector<std::unique_ptr<Resident>> residents_;
    /// The number of elements of `residents_`, counted from the first, that are prepared for this
    /// launch.
    std::size_t prepared_residents_ = 0;
    std::vector<Block*> waiting_blocks_;
    u64 cluster_size_ = 1;
    std::vector<std::unique_ptr<ResidentCluster>> clusters_;
    /// The number of resident clusters prepared for this launch.
    std::size_t prepared_clusters_ = 0;
    std::vector<SiteCache> site_caches_;
    Watch watch_;
    StoreInFlight store_in_flight_;
};

}  // namespace coalesce::simulator
