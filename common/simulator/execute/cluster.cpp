// Implements addresses and accesses in clusters. See cluster.h.
#include "simulator/execute/cluster.h"

#include <algorithm>

#include "simulator/checks/access_report.h"
#include "simulator/counters/counters.h"
#include "simulator/execute/memory_access.h"
#include "simulator/execute/shared_access.h"

namespace coalesce::simulator {

using ptx::StateSpace;

namespace {

/// The size of a block's window of shared addresses, in bytes. Offsets beyond this size never
/// belong to a block, and an H200 reports a different error for them.
constexpr u32 kBlockWindowBytes = 256 * 1024;

/// Reports whether an address is in the system's reserved memory, whose addresses have no rank
/// (%reserved_smem_offset_0).
bool is_reserved(u64 address) {
    return address - DeviceModel::shared_reserved_begin < DeviceModel::shared_reserved_used;
}

}  // namespace

Dim3 count_clusters(const LaunchConfig& config) {
    return {config.grid.x / config.cluster.x, config.grid.y / config.cluster.y,
            config.grid.z / config.cluster.z};
}

u64 block_in_cluster(const LaunchConfig& config, u64 cluster, u32 rank) {
    const Dim3 at = count_clusters(config).place(cluster), within = config.cluster.place(rank);
    const u64 x = u64{at.x} * config.cluster.x + within.x,
              y = u64{at.y} * config.cluster.y + within.y,
              z = u64{at.z} * config.cluster.z + within.z;
    return x + config.grid.x * (y + config.grid.y * z);
}

Block* owner_of(Block& block, u64 address) {
    if (is_reserved(address)) return &block;
    const u64 rank = address / kWindowBytes;
    if (!block.cluster) return rank == 0 ? &block : nullptr;
    return rank < block.cluster->blocks.size() ? block.cluster->blocks[rank] : nullptr;
}

u8* find_in_shared(const Block& block, u64 address, u32 bytes) {
    if (!block.cluster) return block.has_shared(address, bytes) ? block.shared + address : nullptr;
    const Block* owner = owner_of(block, address);
    const u32 offset = offset_in_block(address);
    const bool has = owner && !owner->has_ended && owner->has_shared(offset, bytes);
    return has ? owner->shared + offset : nullptr;
}

Failed bad_cluster_address(Warp& w, const Op* op, u64 address, int lane, u32 bytes, Access access) {
    const Launch& launch = *w.block->launch;
    const Block* owner = owner_of(*w.block, address);
    const u32 offset = offset_in_block(address);
    const std::string rank = std::to_string(rank_of_address(address));
    Report report = w.describe(op, "memcheck", "out of bounds", lane);
    report.address = address;
    const char* what = access == Access::load    ? "reads"
                       : access == Access::store ? "writes"
                                                 : "changes";
    const std::string verb = std::string(what) + " byte " + std::to_string(offset) +
                             " of the shared memory of the block with rank " + rank;
    if (!owner) {
        report.message = verb + ", but this cluster has only " +
                         std::to_string(launch.config.cluster.count()) + " blocks";
        report.cure = "Compare the rank with cluster.num_blocks().";
        return w.fail(Status::launch_failure, report);
    }
    if (owner->has_ended) {
        report.kind = "block has ended";
        report.message = verb + ", which has ended: its shared memory may belong to another block";
        report.cure = "Synchronize all blocks once more before any of them ends: cluster.sync().";
        return w.fail(Status::launch_failure, report);
    }
    const LaneAccess bad{.kind = access == Access::load    ? LaneAccess::Kind::read
                                 : access == Access::store ? LaneAccess::Kind::write
                                                           : LaneAccess::Kind::atomic,
                         .address = offset,
                         .bytes = bytes};
    report = describe_bad_shared(report, bad, launch.kernel->static_shared,
                                 launch.config.dynamic_shared);
    const bool own = owner == w.block;
    if (!own) report.message += " (It is the shared memory of the block with rank " + rank + ".)";
    return w.fail(
        own || offset >= kBlockWindowBytes ? Status::illegal_address : Status::launch_failure,
        report);
}

bool are_own_addresses(Warp& w, const Op* op, const Resolved& where) {
    if (!where.in_other) return true;
    const int lane = std::countr_zero(where.in_other);
    Report report =
        w.describe(op, "memcheck", "other block", lane,
                   "this address is in the shared memory of the block with rank " +
                       std::to_string(rank_of_address(where.address[lane])) +
                       ", but .shared (or .shared::cta) can access only the memory of this block",
                   "Use .shared::cluster, or a generic address.");
    report.address = where.address[lane];
    return w.fail(Status::illegal_instruction, report);
}

// ---- accesses ----

namespace {

void add_remote(Warp& w, u32 site, u32 requests, u32 sectors, u32 bytes, Mask lanes) {
    SiteCounters& counters = w.counters[site];
    counters.remote_requests += requests;
    counters.remote_sectors += sectors;
    counters.remote_useful_bytes += u64{bytes} * static_cast<u32>(std::popcount(lanes));
}

RemoteAtomic remote_atomic(const Warp& w, u32 site) {
    return w.block->launch->kernel->sites[site].remote_atomic;
}

/// Returns the largest number of lanes that access the same address.
u32 count_lanes_at_one_address(const u64* addresses, Mask lanes) {
    u32 most = 0;
    for (Mask rest = lanes; rest;) {
        const u64 address = addresses[std::countr_zero(rest)];
        const Mask same = lanes_where(rest, [&](int l) { return addresses[l] == address; });
        most = std::max(most, static_cast<u32>(std::popcount(same)));
        rest &= ~same;
    }
    return most;
}

}  // namespace

void count_remote(Warp& w, u32 site, const u64* addresses, u32 bytes, Mask lanes) {
    if (lanes) add_remote(w, site, 1, count_sectors(addresses, bytes, lanes), bytes, lanes);
}

void count_remote_atomic(Warp& w, u32 site, const u64* addresses, u32 bytes, Mask lanes) {
    if (!lanes) return;
    const RemoteAtomic how = remote_atomic(w, site);
    if (how == RemoteAtomic::load_and_store) return count_remote(w, site, addresses, bytes, lanes);
    add_remote(w, site,
               how == RemoteAtomic::loop ? count_lanes_at_one_address(addresses, lanes) : 1,
               count_remote_atomic_sectors(addresses, bytes, lanes), bytes, lanes);
}

void report_if_not_atomic(const Warp& w, const Op* op, Mask lanes) {
    if (!w.checks.race || remote_atomic(w, op->site) != RemoteAtomic::load_and_store) return;
    reports().add(
        w.describe(op, "racecheck", "not atomic", std::countr_zero(lanes),
                   "This atomic changes 64 bits of another block's shared memory. ptxas compiles "
                   "it to a load and a store, so changes by other threads may be lost. (The "
                   "simulator executes it as an atomic.)",
                   "Use a 32-bit type, or a loop with atomicCAS(). 64-bit atomicCAS(), atomicAdd() "
                   "and atomicExch() are atomic in another block's shared memory."));
}

namespace {

/// Notifies Watch if a store changes memory.
void notify_watch(const Warp& w, const Op* op, const SharedMove& move, const Resolved& where) {
    Watch& watch = *w.block->watch;
    for (const int l : LanesIn{move.store && watch.on() ? w.active : 0}) {
        u8 stored[kMaxBytesPerLane];
        move.store_lane(w, op, l, stored);
        if (std::memcmp(where.host[l], stored, move.bytes) != 0) return watch.memory_changed();
    }
}

}  // namespace

bool begin_cluster_access(Warp& w, const Op* op, const SharedMove& move, bool own,
                          Resolved& where) {
    u64 base[kLanes];
    for (const int l : LanesIn{w.active})
        base[l] = op->detail & kNarrowAddress
                      ? static_cast<u32>(w.lanes<u32>(op->a)[l] + static_cast<u32>(op->immediate))
                      : w.lanes<u64>(op->a)[l] + static_cast<u64>(op->immediate);
    if (!resolve(w, op, base, 0, move.bytes, StateSpace::shared, load_or_store(move.store), where))
        return false;
    if (own && !are_own_addresses(w, op, where)) return false;
    notify_watch(w, op, move, where);
    const LaneOffsets addresses = to_offsets(where.address, w.active);
    const Mask here = w.active & ~where.in_other;
    if (here)
        count_shared(w, op, move.store,
                     count_wavefronts(addresses.data(), move.bytes, here, move.kind));
    count_remote(w, op->site, where.address, move.bytes, where.in_other);
    u32 undefined[kLanes] = {};
    if (w.block->shared_race) check_shared(w, op, move, addresses.data(), undefined);
    return true;
}

template <class Lane>
static const Op* write_shared_address(Warp& w, const Op* op) {
    const u32 address = shared_address(*w.block, static_cast<u32>(op->immediate));
    w.write<Lane>(op->d, [=](int) { return Lane{address}; });
    return op + 1;
}

const Op* op_shared_address_32(Warp& w, const Op* op) {
    return write_shared_address<u32>(w, op);
}
const Op* op_shared_address_64(Warp& w, const Op* op) {
    return write_shared_address<u64>(w, op);
}

}  // namespace coalesce::simulator
