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
    const Dim3 cluster_index = count_clusters(config).position_of(cluster),
               block_position = config.cluster.position_of(rank);
    const u64 x = u64{cluster_index.x} * config.cluster.x + block_position.x,
              y = u64{cluster_index.y} * config.cluster.y + block_position.y,
              z = u64{cluster_index.z} * config.cluster.z + block_position.z;
    return x + config.grid.x * (y + config.grid.y * z);
}

Block* find_owner_block(Block& block, u64 address) {
    if (is_reserved(address)) return &block;
    const u64 rank = address / kWindowBytes;
    if (!block.cluster) return rank == 0 ? &block : nullptr;
    return rank < block.cluster->blocks.size() ? block.cluster->blocks[rank] : nullptr;
}

u8* find_host_in_shared(const Block& block, u64 address, u32 bytes) {
    if (!block.cluster)
        return block.is_in_own_shared(address, bytes) ? block.shared + address : nullptr;
    const Block* owner = find_owner_block(block, address);
    const u32 offset = offset_in_block(address);
    const bool is_accessible = owner && !owner->has_ended && owner->is_in_own_shared(offset, bytes);
    return is_accessible ? owner->shared + offset : nullptr;
}

Failed fail_bad_cluster_address(Warp& w, const Op* op, u64 address, int lane, u32 bytes,
                                Access access) {
    const Launch& launch = *w.block->launch;
    const Block* owner = find_owner_block(*w.block, address);
    const u32 offset = offset_in_block(address);
    const std::string rank = std::to_string(rank_of_address(address));
    Report report = w.describe(op, "memcheck", "out of bounds", lane);
    report.address = address;
    const char* verb = access == Access::load    ? "reads"
                       : access == Access::store ? "writes"
                                                 : "changes";
    const std::string access_text = std::string(verb) + " byte " + std::to_string(offset) +
                                    " of the shared memory of the block with rank " + rank;
    if (!owner) {
        report.message = access_text + ", but this cluster has only " +
                         std::to_string(launch.config.cluster.count()) + " blocks";
        report.cure = "Compare the rank with cluster.num_blocks().";
        return w.fail_with_report(Status::launch_failure, report);
    }
    if (owner->has_ended) {
        report.kind = "block has ended";
        report.message =
            access_text + ", which has ended: its shared memory may belong to another block";
        report.cure = "Synchronize all blocks once more before any of them ends: cluster.sync().";
        return w.fail_with_report(Status::launch_failure, report);
    }
    const LaneAccess access_for_report{.kind = access == Access::load    ? LaneAccess::Kind::read
                                               : access == Access::store ? LaneAccess::Kind::write
                                                                         : LaneAccess::Kind::atomic,
                                       .address = offset,
                                       .bytes = bytes};
    report =
        describe_shared_violation(report, access_for_report, launch.kernel->static_shared_bytes,
                                  launch.config.dynamic_shared_bytes);
    const bool is_own_block = owner == w.block;
    if (!is_own_block)
        report.message += " (It is the shared memory of the block with rank " + rank + ".)";
    return w.fail_with_report(is_own_block || offset >= kBlockWindowBytes ? Status::illegal_address
                                                                          : Status::launch_failure,
                              report);
}

bool are_own_addresses(Warp& w, const Op* op, const ResolvedAddresses& resolved) {
    if (!resolved.other_block_lanes) return true;
    const int lane = std::countr_zero(resolved.other_block_lanes);
    Report report =
        w.describe(op, "memcheck", "other block", lane,
                   "this address is in the shared memory of the block with rank " +
                       std::to_string(rank_of_address(resolved.address[lane])) +
                       ", but .shared (or .shared::cta) can access only the memory of this block",
                   "Use .shared::cluster, or a generic address.");
    report.address = resolved.address[lane];
    return w.fail_with_report(Status::illegal_instruction, report);
}

// ---- accesses ----

namespace {

void add_remote_counts(Warp& w, u32 site, u32 requests, u32 sectors, u32 bytes, Mask lanes) {
    SiteCounters& counters = w.site_counters[site];
    counters.remote_requests += requests;
    counters.remote_sectors += sectors;
    counters.remote_useful_bytes += u64{bytes} * static_cast<u32>(std::popcount(lanes));
}

RemoteAtomic find_remote_atomic(const Warp& w, u32 site) {
    return w.block->launch->kernel->sites[site].remote_atomic;
}

/// Returns the largest number of lanes that access the same address.
u32 count_lanes_at_one_address(const u64* addresses, Mask lanes) {
    u32 max_lanes = 0;
    for (Mask remaining_lanes = lanes; remaining_lanes;) {
        const u64 address = addresses[std::countr_zero(remaining_lanes)];
        const Mask same_address_lanes =
            select_lanes(remaining_lanes, [&](int l) { return addresses[l] == address; });
        max_lanes = std::max(max_lanes, static_cast<u32>(std::popcount(same_address_lanes)));
        remaining_lanes &= ~same_address_lanes;
    }
    return max_lanes;
}

}  // namespace

void count_remote_access(Warp& w, u32 site, const u64* addresses, u32 bytes, Mask lanes) {
    if (lanes) add_remote_counts(w, site, 1, count_sectors(addresses, bytes, lanes), bytes, lanes);
}

void count_remote_atomic(Warp& w, u32 site, const u64* addresses, u32 bytes, Mask lanes) {
    if (!lanes) return;
    const RemoteAtomic atomic_method = find_remote_atomic(w, site);
    if (atomic_method == RemoteAtomic::load_and_store)
        return count_remote_access(w, site, addresses, bytes, lanes);
    add_remote_counts(
        w, site,
        atomic_method == RemoteAtomic::swap_loop ? count_lanes_at_one_address(addresses, lanes) : 1,
        count_remote_atomic_sectors(addresses, bytes, lanes), bytes, lanes);
}

void report_if_not_atomic(const Warp& w, const Op* op, Mask lanes) {
    if (!w.checks.runs_racecheck || find_remote_atomic(w, op->site) != RemoteAtomic::load_and_store)
        return;
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
void notify_watch(const Warp& w, const Op* op, const SharedMove& move,
                  const ResolvedAddresses& resolved) {
    Watch& watch = *w.block->watch;
    for (const int l : LaneRange{move.is_store && watch.is_on() ? w.active : 0}) {
        u8 stored[kMaxBytesPerLane];
        move.store_lane(w, op, l, stored);
        if (std::memcmp(resolved.host[l], stored, move.bytes) != 0)
            return watch.note_memory_change();
    }
}

}  // namespace

bool begin_cluster_access(Warp& w, const Op* op, const SharedMove& move, bool requires_own_block,
                          ResolvedAddresses& resolved) {
    u64 base[kLanes];
    for (const int l : LaneRange{w.active})
        base[l] = op->detail & kNarrowAddress
                      ? static_cast<u32>(w.lanes<u32>(op->a)[l] + static_cast<u32>(op->immediate))
                      : w.lanes<u64>(op->a)[l] + static_cast<u64>(op->immediate);
    if (!resolve_addresses(w, op, base, 0, move.bytes, StateSpace::shared,
                           load_or_store(move.is_store), resolved))
        return false;
    if (requires_own_block && !are_own_addresses(w, op, resolved)) return false;
    notify_watch(w, op, move, resolved);
    const LaneOffsets addresses = to_offsets(resolved.address, w.active);
    const Mask own_block_lanes = w.active & ~resolved.other_block_lanes;
    if (own_block_lanes)
        count_shared_access(
            w, op, move,
            count_wavefronts(addresses.data(), move.bytes, own_block_lanes, move.kind));
    count_remote_access(w, op->site, resolved.address, move.bytes, resolved.other_block_lanes);
    u32 undefined_bytes[kLanes] = {};
    if (w.block->shared_race) check_shared_access(w, op, move, addresses.data(), undefined_bytes);
    return true;
}

template <class Lane>
static const Op* write_shared_address(Warp& w, const Op* op) {
    const u32 address = make_shared_address(*w.block, static_cast<u32>(op->immediate));
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
