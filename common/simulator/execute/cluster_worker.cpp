// Runs the clusters of a worker. All blocks of a cluster begin together, and run in turn until all
// of them have ended.
#include <algorithm>
#include <utility>

#include "simulator/execute/async_copy.h"
#include "simulator/execute/cluster.h"
#include "simulator/execute/worker.h"

namespace coalesce::simulator {

/// A cluster, together with the memory that its pointers refer to.
struct ResidentCluster : Cluster {
    AlignedBytes memory;
};

Worker::Worker() = default;
Worker::~Worker() = default;

void Worker::prepare_clusters() {
    for (auto& cluster : clusters_) cluster->running_blocks = 0;
    prepared_clusters_ = 0;
    cluster_size_ = launch_->config.cluster.count();
    if (cluster_size_ > 1) block_count_ /= cluster_size_;
}

/// Returns a cluster in which no block is running.
Cluster& Worker::free_cluster() {
    const auto cluster_slot =
        std::find_if(clusters_.begin(), clusters_.end(),
                     [](const auto& cluster) { return cluster->running_blocks == 0; });
    const auto k = static_cast<std::size_t>(cluster_slot - clusters_.begin());
    if (k == clusters_.size()) clusters_.push_back(std::make_unique<ResidentCluster>());
    ResidentCluster& cluster = *clusters_[k];
    if (k < prepared_clusters_) return cluster;
    prepared_clusters_ = k + 1;
    const Kernel::Code& code = *launch_->code;
    const u32 bytes = launch_->kernel->static_shared_bytes + launch_->config.dynamic_shared_bytes;
    const u32 end = code.uses_reserved_shared
                        ? DeviceModel::shared_reserved_begin + DeviceModel::shared_reserved_used
                        : bytes;
    cluster.stride = static_cast<u32>(round_up(u64{end} + 64, 128));
    cluster.shared = cluster.memory.allocate(u64{cluster.stride} * cluster_size_);
    const u32 warps = static_cast<u32>((launch_->config.block.count() + kLanes - 1) / kLanes);
    SharedRace::EnabledChecks enabled_checks;
    enabled_checks.checks_races = launch_->checks.runs_racecheck;
    enabled_checks.checks_uninitialised = launch_->checks.runs_initcheck;
    cluster.race.begin_launch(*launch_->kernel, *shared_log_, enabled_checks,
                              warps * static_cast<u32>(cluster_size_),
                              static_cast<u32>(cluster_size_));
    return cluster;
}

Cluster& Worker::begin_cluster(u64 number) {
    Cluster& cluster = free_cluster();
    const u32 warps = static_cast<u32>((launch_->config.block.count() + kLanes - 1) / kLanes);
    SharedRace::Cluster checked_cluster{
        .block_indices = {}, .warps = warps, .stride = cluster.stride};
    for (u32 rank = 0; rank < cluster_size_; ++rank)
        checked_cluster.block_indices.push_back(block_in_cluster(launch_->config, number, rank));
    const std::vector<u64> numbers = checked_cluster.block_indices;
    if (launch_->checks.runs_racecheck || launch_->checks.runs_initcheck)
        cluster.race.begin_cluster(std::move(checked_cluster), cluster.shared);
    cluster.blocks.clear();
    for (const u64 block : numbers) cluster.blocks.push_back(&begin_block(block, &cluster));
    cluster.running_blocks = static_cast<u32>(cluster_size_);
    return cluster;
}

/// Makes a block part of a cluster. Must be called before anything else is prepared for the block.
/// `cluster` is null if the launch has no clusters.
void Worker::enter_cluster(Resident& block, Cluster* cluster) {
    block.cluster = cluster;
    block.has_ended = false;
    block.rank = block.first_warp = 0;
    if (!cluster) return;
    block.rank = static_cast<u32>(cluster->blocks.size());
    block.first_warp = block.rank * static_cast<u32>(block.warps.size());
    block.shared = cluster->shared + u64{block.rank} * cluster->stride;
    if (block.shared_race) block.shared_race = &cluster->race;
}

/// Records that a block has ended. Its memory stays valid until the last block of the cluster has
/// ended.
void Worker::leave_cluster(Block& block) {
    Cluster& cluster = *block.cluster;
    end_copies_that_read(block);
    block.has_ended = true;
    if (block.shared_race && !launch_->has_failed())
        block.shared_race->end_block_of_cluster(block.rank);
    if (--cluster.running_blocks > 0) return;
    for (Block* block : cluster.blocks) block->is_busy = false;
}

/// Runs the cluster's blocks in turn until no block makes progress. Blocks that wait for other
/// clusters stay in waiting_blocks_.
void Worker::run_cluster(Cluster& cluster) {
    const std::size_t waiting_before = waiting_blocks_.size();
    std::vector<Block*> blocks_to_run = cluster.blocks;
    if (order_seed_)
        std::rotate(blocks_to_run.begin(),
                    blocks_to_run.begin() + static_cast<long>(order_seed_ % blocks_to_run.size()),
                    blocks_to_run.end());
    for (;;) {
        const u64 progress_before = watch_.progress_count();
        for (Block* block : blocks_to_run) {
            advance_block(*block);
            if (launch_->has_failed()) return;
        }
        if (waiting_blocks_.size() == waiting_before || watch_.progress_count() == progress_before)
            return;
        blocks_to_run.assign(waiting_blocks_.begin() + static_cast<long>(waiting_before),
                             waiting_blocks_.end());
        waiting_blocks_.resize(waiting_before);
    }
}

void Worker::run_clusters() {
    bool has_more_clusters = true;
    while (!launch_->has_failed()) {
        const bool has_room = waiting_blocks_.empty() ||
                              waiting_blocks_.size() + cluster_size_ <= max_resident_blocks_;
        if (has_more_clusters && has_room) {
            const u64 cluster_position =
                launch_->next_block.fetch_add(1, std::memory_order_relaxed);
            has_more_clusters = cluster_position < block_count_;
            if (!has_more_clusters) continue;
            watch_.note_progress();
            run_cluster(begin_cluster(block_number(cluster_position)));
            continue;
        }
        if (waiting_blocks_.empty()) return;
        run_round();
    }
}

void Worker::end_clusters() {
    for (std::size_t k = 0; k < prepared_clusters_; ++k) clusters_[k]->race.end_launch();
}

}  // namespace coalesce::simulator
