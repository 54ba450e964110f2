// The running blocks of a cluster, which can access each other's shared memory and share a barrier.
//
// Builds on  block.h, memory_access.h.
// Idea       All blocks of a cluster are resident on one worker. The worker runs them one after the
//            other until each block has ended or waits (cluster_worker.cpp).
// Addresses  As on hardware, the low 24 bits of an address in shared memory are the offset within a
//            block. The higher bits are the rank of the block. A block's own addresses contain the
//            block's rank, so they are valid in every block of the cluster. In a launch without
//            clusters, the rank is 0.
// Counters   Accesses to another block's shared memory leave the multiprocessor. Such accesses are
//            counted in requests and 32-byte sectors, and take no wavefronts of shared memory. On
//            an H200 the metrics are l1tex__t_requests_pipe_lsu_mem_dshared and
//            l1tex__t_sectors_pipe_lsu_mem_dshared.
#pragma once

#include <vector>

#include "simulator/execute/access_listener.h"
#include "simulator/execute/block.h"
#include "simulator/execute/families.h"
#include "simulator/memory/device_memory.h"

namespace coalesce::simulator {

struct SharedMove;
struct ResolvedAddresses;

struct Cluster {
    std::vector<Block*> blocks;  ///< the cluster's blocks, by rank
    u32 running_blocks = 0;      ///< the number of blocks that have not ended
    u8* shared = nullptr;        ///< the shared memory of all blocks, in the order of their ranks
    u32 stride = 0;  ///< the distance in bytes between the shared memory of consecutive blocks
    SharedRace race;
};

/// Returns the number of clusters in each dimension.
Dim3 count_clusters(const LaunchConfig& config);
u64 block_in_cluster(const LaunchConfig& config, u64 cluster, u32 rank);

// ---- addresses ----

inline u32 rank_of_address(u64 address) {
    return static_cast<u32>(address / kWindowBytes);
}
inline u32 offset_in_block(u64 address) {
    return static_cast<u32>(address % kWindowBytes);
}
/// Returns the address of a byte of this block's shared memory.
inline u32 make_shared_address(const Block& block, u32 offset) {
    return static_cast<u32>(block.rank * kWindowBytes) + offset;
}
/// Returns the block whose shared memory contains an address, or nullptr if the cluster has no such
/// block.
Block* find_owner_block(Block& block, u64 address);
inline const Block* find_owner_block(const Block& block, u64 address) {
    return find_owner_block(const_cast<Block&>(block), address);
}
/// Returns the host address of the `bytes` bytes of shared memory at `address`, or nullptr if they
/// do not belong to a running block.
u8* find_host_in_shared(const Block& block, u64 address, u32 bytes);
/// Reports an address that belongs to no running block, and ends the launch.
Failed fail_bad_cluster_address(Warp& w, const Op* op, u64 address, int lane, u32 bytes,
                                Access access);
/// Checks that the addresses of all active lanes are in the block's own shared memory, as .shared
/// and .shared::cta require. If not, reports an error, ends the launch and returns false.
bool are_own_addresses(Warp& w, const Op* op, const ResolvedAddresses& resolved);

// ---- accesses ----

/// Checks and counts a load or store of all active lanes before any lane moves data. Stores the
/// host addresses in `resolved`. If `requires_own_block` is true, all addresses must be in this
/// block's shared memory. Returns false if the launch has failed.
bool begin_cluster_access(Warp& w, const Op* op, const SharedMove& move, bool requires_own_block,
                          ResolvedAddresses& resolved);
/// Counts an access by the lanes in `lanes` to the shared memory of other blocks.
void count_remote_access(Warp& w, u32 site, const u64* addresses, u32 bytes, Mask lanes);
/// Counts an atomic by the lanes in `lanes` on the shared memory of other blocks. If several lanes
/// change the same word, the hardware serves them one after the other, each in its own pass. The
/// sectors of all passes are added up. An atomic that is a loop in machine code makes one request
/// per pass.
void count_remote_atomic(Warp& w, u32 site, const u64* addresses, u32 bytes, Mask lanes);
/// Reports an atomic on another block's shared memory if ptxas compiles it to a load and a store.
/// The two instructions together are not atomic.
void report_if_not_atomic(const Warp& w, const Op* op, Mask lanes);

/// Computes an address in this block's shared memory. Op::immediate is the offset, and Op::d
/// receives 32-bit or 64-bit lanes.
const Op* op_shared_address_32(Warp& w, const Op* op);
const Op* op_shared_address_64(Warp& w, const Op* op);

// ---- the barrier (cluster_barrier.cpp) ----

/// Set in Op::detail for an arrival with .relaxed. Such an arrival does not release the warp's
/// accesses.
inline constexpr u8 kRelaxedArrival = 1;
const Op* op_cluster_arrive(Warp& w, const Op* op);
const Op* op_cluster_wait(Warp& w, const Op* op);
/// Records that lanes of the warp have exited. The cluster's barrier then no longer waits for these
/// lanes.
void note_cluster_lanes_ended(Warp& w);
/// Reports whether a warp of the block waits at the cluster's barrier.
bool waits_at_cluster_barrier(const Block& block);

}  // namespace coalesce::simulator
