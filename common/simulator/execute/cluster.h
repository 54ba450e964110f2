// The blocks of a cluster while they run: they reach each other's shared memory, and meet at a
// barrier of their own.
//
// Builds on  block.h, memory_access.h.
// Idea       All blocks of a cluster are resident together on one worker, which runs one after the
//            other until each has ended or waits (cluster_worker.cpp).
// Addresses  As on hardware, an address of shared memory has the rank of the block that it belongs
//            to above 24 bits, and the offset within the block below. A block's own addresses have
//            its own rank, so that they mean the same in every block of the cluster. In a launch
//            without clusters the rank is 0.
// Counters   What reaches another block's shared memory leaves the multiprocessor: it is counted in
//            requests and 32-byte sectors, and takes no wavefronts of shared memory. On an H200
//            these are l1tex__t_requests_pipe_lsu_mem_dshared and l1tex__t_sectors_pipe_lsu_mem_dshared.
#pragma once

#include <vector>

#include "simulator/execute/access_listener.h"
#include "simulator/execute/block.h"
#include "simulator/execute/families.h"
#include "simulator/memory/device_memory.h"

namespace coalesce::simulator {

struct SharedMove;
struct Resolved;

struct Cluster {
    std::vector<Block*> blocks;  ///< by rank
    u32 running = 0;             ///< blocks that have not ended
    u8* shared = nullptr;        ///< of all blocks, one after the other
    u32 stride = 0;              ///< bytes from one to the next
    SharedRace race;
};

/// Blocks of a launch's cluster, and the number in the grid of the one with this rank.
Dim3 clusters_of(const LaunchConfig& config);
u64 block_in_cluster(const LaunchConfig& config, u64 cluster, u32 rank);

// ---- addresses ----

inline u32 rank_in(u64 address) {
    return static_cast<u32>(address / kWindowBytes);
}
inline u32 offset_in_block(u64 address) {
    return static_cast<u32>(address % kWindowBytes);
}
/// The address of a byte of this block's shared memory.
inline u32 shared_address(const Block& block, u32 offset) {
    return static_cast<u32>(block.rank * kWindowBytes) + offset;
}
/// The block whose shared memory an address belongs to; nullptr when the cluster has none.
Block* owner_of(Block& block, u64 address);
inline const Block* owner_of(const Block& block, u64 address) {
    return owner_of(const_cast<Block&>(block), address);
}
/// Where these bytes lie in this process; nullptr when no block that still runs has them.
u8* find_in_shared(const Block& block, u64 address, u32 bytes);
/// Ends the launch, because it has not.
Failed bad_cluster_address(Warp& w, const Op* op, u64 address, int lane, u32 bytes, Access access);
/// Whether all active lanes' addresses in shared memory are in this block, as .shared and
/// .shared::cta promise. False: reported, the launch is over.
bool are_own_addresses(Warp& w, const Op* op, const Resolved& where);

// ---- accesses ----

/// A load or store with all its checks, before its lanes move any data. False: the launch is over.
bool begin_cluster_access(Warp& w, const Op* op, const SharedMove& move, bool own, Resolved& where);
/// Counts an access of these lanes to other blocks.
void count_remote(Warp& w, u32 site, const u64* addresses, u32 bytes, Mask lanes);
/// Counts an atomic of these lanes on other blocks' memory. Lanes that change one word go one after the other, in as many
/// passes as the most lanes that share a word, and each pass counts its sectors. A loop has a request for each pass.
void count_remote_atomic(Warp& w, u32 site, const u64* addresses, u32 bytes, Mask lanes);
/// Reports an atomic that is not atomic in another block's memory: ptxas makes a load and a store of it.
void report_if_not_atomic(const Warp& w, const Op* op, Mask lanes);

/// Writes an address of this block's shared memory: Op::immediate is the offset, Op::d gets lanes
/// of 32 or 64 bits.
const Op* op_shared_address_32(Warp& w, const Op* op);
const Op* op_shared_address_64(Warp& w, const Op* op);

// ---- the barrier (cluster_barrier.cpp) ----

/// Op::detail of an arrival: it was .relaxed, and releases nothing.
inline constexpr u8 kRelaxedArrival = 1;
const Op* op_cluster_arrive(Warp& w, const Op* op);
const Op* op_cluster_wait(Warp& w, const Op* op);
/// Lanes of the warp have ended: the barrier waits for those that are left.
void cluster_lanes_ended(Warp& w);
/// Whether a warp of the block waits there.
bool waits_at_cluster_barrier(const Block& block);

}  // namespace coalesce::simulator
