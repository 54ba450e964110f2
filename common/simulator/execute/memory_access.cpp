// See memory_access.h.
#include "simulator/execute/memory_access.h"

#include <algorithm>
#include <utility>

#include "simulator/checks/access_report.h"
#include "simulator/counters/counters.h"
#include "simulator/execute/cluster.h"
#include "simulator/execute/device_calls.h"
#include "simulator/execute/local_memory.h"

namespace coalesce::simulator {

using ptx::StateSpace;

namespace {

LaneAccess lane_access(u64 address, u32 bytes, Access access) {
    LaneAccess result;
    result.kind = access == Access::load    ? LaneAccess::Kind::read
                  : access == Access::store ? LaneAccess::Kind::write
                                            : LaneAccess::Kind::atomic;
    result.address = address;
    result.bytes = bytes;
    return result;
}

Report describe_no_constant(Report report, const LaneAccess& access) {
    report.address = access.address;
    report.message = "Reads " + std::to_string(access.bytes) +
                     " bytes of constant memory (ld.const), but the address is in global memory.";
    report.cure = "Load these bytes with ld.global.";
    return report;
}

Failed fail_misaligned(Warp& w, const Op* op, u64 address, int lane, u32 bytes, StateSpace space,
                       Access access) {
    const Report report = describe_misaligned(w.describe(op, "memcheck", "misaligned", lane),
                                              lane_access(address, bytes, access), space,
                                              w.block->launch->allocations.get());
    return w.fail_with_report(Status::misaligned_address, report);
}

Failed fail_parameter_store(Warp& w, const Op* op, u64 address, int lane) {
    return w.fail_launch(op, Status::illegal_address, "memcheck", "out of bounds",
                         "stores to the kernel's parameters, which are read-only", lane, address);
}

/// Returns the host address of bytes in a state space, or nullptr if the bytes are out of bounds.
/// `last_allocation` is the allocation that the previous lane accessed, or null. The function
/// updates it.
u8* find_host_address(const Warp& w, u64 address, int lane, u32 bytes, StateSpace space,
                      const Allocation*& last_allocation) {
    const Block& block = *w.block;
    const auto is_within = [&](u64 size) {
        return address + bytes <= size && address + bytes > address;
    };
    switch (space) {
        case StateSpace::shared: return find_host_in_shared(block, address, bytes);
        case StateSpace::local:
            return is_within(w.local_bytes)
                       ? w.local_memory + u64{w.local_bytes} * static_cast<u32>(lane) + address
                       : nullptr;
        case StateSpace::param: {
            auto& memory = block.launch->parameters;
            return is_within(memory.size()) ? memory.data() + address : nullptr;
        }
        default: break;
    }
    if (!last_allocation || !last_allocation->contains(address, bytes))
        last_allocation = block.launch->allocations->find(address);
    if (!last_allocation || !last_allocation->contains(address, bytes)) return nullptr;
    if (const DeviceHeap& heap = DeviceHeap::instance(); heap.contains(address)) {
        const Interval piece = heap.find_allocation(address);
        if (address + bytes > piece.end) return nullptr;
    }
    // Reads through the constant space are not counted as requests, so allow only reads of constant
    // memory.
    if (space == StateSpace::constant && last_allocation->kind != AllocationKind::constant)
        return nullptr;
    return reinterpret_cast<u8*>(address + last_allocation->host_offset);
}

/// Resolves addresses in shared memory for the most common kind of access. Returns false if an
/// address is invalid, or if the slow path is needed.
bool resolve_shared(const Warp& w, const u64* base, i64 offset, u32 bytes,
                    ResolvedAddresses& resolved) {
    const u64 size = w.block->shared_bytes;
    if (w.block->cluster) return false;
    if (size < bytes || !std::has_single_bit(bytes) || bytes > 16) return false;
    u64 error_mask = 0;
    for (int l = 0; l < kLanes; ++l) {
        const u64 address = base[l] + static_cast<u64>(offset);
        const u64 active = w.active >> l & 1 ? ~u64{0} : 0;
        error_mask |= active & (static_cast<u64>(address > size - bytes) | (address & (bytes - 1)));
    }
    if (error_mask != 0) return false;
    for (const int lane : LaneRange{w.active}) {
        resolved.address[lane] = base[lane] + static_cast<u64>(offset);
        resolved.host[lane] = w.block->shared + resolved.address[lane];
    }
    resolved.shared_lanes = w.active;
    return true;
}

/// Returns zero-filled memory for a lane that accesses global memory in a dry run. Stores go to a
/// separate buffer for each lane, because loaded values may be read after other lanes have stored.
u8* zeroed_memory(int lane, u32 bytes, Access access) {
    constexpr u32 kMaxBytes = 64;
    alignas(kMaxBytes) thread_local u8 written[kLanes][kMaxBytes];
    alignas(kMaxBytes) static u8 zeros[kMaxBytes];
    if (access == Access::load) return zeros;
    std::memset(written[lane], 0, bytes);
    return written[lane];
}

/// Describes an invalid access to the device heap, from which malloc in kernels allocates. If the
/// memory has been freed, the report names the call to free() as the other access.
Report describe_bad_heap_access(const Launch& launch, Report report, const LaneAccess& access) {
    const DeviceHeap& heap = DeviceHeap::instance();
    const Interval freed_piece = heap.find_freed_piece(access.address),
                   piece_below = heap.find_piece_below(access.address);
    if (freed_piece.size() == 0) return describe_heap_violation(report, access, 0, piece_below);
    const DeviceHeap::FreeCall& free_call = heap.find_free_call(freed_piece.begin);
    const bool is_freed_by_same_thread =
        free_call.block == report.block && free_call.thread == report.thread;
    report.other = free_call.free_place;
    report.other_block = free_call.block;
    report.other_thread = free_call.thread;
    return describe_heap_violation(report, access, freed_piece.size(), piece_below,
                                   launch.code->needs_heap && !is_freed_by_same_thread &&
                                       heap.is_freed_by_this_launch(free_call));
}

}  // namespace

const Allocation* find_intended_allocation(const Launch& launch, u32 site) {
    if (site >= launch.kernel->sites.size()) return nullptr;
    const Allocation* intended_allocation = nullptr;
    for (const u32 offset : launch.kernel->sites[site].pointer_offsets) {
        u64 pointer = 0;
        if (offset + sizeof pointer > launch.parameters.size()) return nullptr;
        std::memcpy(&pointer, launch.parameters.data() + offset, sizeof pointer);
        const Allocation* pointed_allocation = launch.allocations->find(pointer);
        if (pointed_allocation && intended_allocation && pointed_allocation != intended_allocation)
            return nullptr;
        if (pointed_allocation) intended_allocation = pointed_allocation;
    }
    return intended_allocation;
}

Failed fail_bad_address(Warp& w, const Op* op, u64 address, int lane, u32 bytes, StateSpace space,
                        Access access) {
    const Launch& launch = *w.block->launch;
    if (space == StateSpace::shared && w.block->cluster)
        return fail_bad_cluster_address(w, op, address, lane, bytes, access);
    const LaneAccess lane_access_to_report = lane_access(address, bytes, access);
    Report report = w.describe(op, "memcheck", "out of bounds", lane);
    if (space == StateSpace::shared)
        report = describe_shared_violation(report, lane_access_to_report,
                                           launch.kernel->static_shared_bytes,
                                           launch.config.dynamic_shared_bytes);
    else if (space == StateSpace::local)
        report = describe_local_violation(report, lane_access_to_report, w.local_bytes);
    else if (space == StateSpace::constant && launch.allocations->find(address))
        report = describe_no_constant(report, lane_access_to_report);
    else if (DeviceHeap::instance().contains(address))
        report = describe_bad_heap_access(launch, report, lane_access_to_report);
    else
        report = describe_global_violation(report, lane_access_to_report, *launch.allocations,
                                           launch.code->needs_heap,
                                           find_intended_allocation(launch, op->site));
    return w.fail_with_report(Status::illegal_address, report);
}

StateSpace find_space_of_address(u64 generic_address) {
    constexpr StateSpace spaces[] = {StateSpace::shared, StateSpace::local, StateSpace::param};
    const u64 offset = generic_address - shared_window();
    const u64 window = offset / kWindowStride;
    if (window >= std::size(spaces)) return StateSpace::global;
    const bool is_beyond =
        spaces[window] == StateSpace::param && offset % kWindowStride >= kWindowBytes;
    return is_beyond ? StateSpace::global : spaces[window];
}

bool resolve_addresses(Warp& w, const Op* op, const u64* base, i64 offset, u32 bytes,
                       StateSpace space, Access access, ResolvedAddresses& resolved,
                       const u8* bytes_per_lane) {
    const Allocation* last_allocation = nullptr;
    resolved.shared_lanes = resolved.global_lanes = resolved.other_block_lanes = 0;
    if (space == StateSpace::shared && resolve_shared(w, base, offset, bytes, resolved))
        return true;
    for (const int lane : LaneRange{w.active}) {
        u64 address = base[lane] + static_cast<u64>(offset);
        StateSpace actual_space = space;
        if (space == StateSpace::generic) {
            actual_space = find_space_of_address(address);
            if (actual_space == StateSpace::local &&
                !check_local_owner(w, op, address, lane, bytes, access != Access::load))
                return false;
            address = address_in_space(address);
        }
        if (actual_space == StateSpace::param && access != Access::load)
            return fail_parameter_store(w, op, address, lane);
        const bool skips_memory = actual_space == StateSpace::global && w.block->launch->is_dry_run;
        const u32 accessed_bytes = bytes_per_lane ? bytes_per_lane[lane] : bytes;
        u8* host = skips_memory ? zeroed_memory(lane, bytes, access)
                                : find_host_address(w, address, lane, accessed_bytes, actual_space,
                                                    last_allocation);
        if (!host)
            return fail_bad_address(w, op, address, lane, accessed_bytes, actual_space, access);
        if (address % std::min<u32>(bytes, 16))
            return fail_misaligned(w, op, address, lane, bytes, actual_space, access);
        resolved.address[lane] = address;
        resolved.host[lane] = host;
        if (actual_space == StateSpace::local && access != Access::load && w.local_shadow)
            mark_local_written(w, lane, address, bytes);
        if (actual_space == StateSpace::shared) resolved.shared_lanes |= 1u << lane;
        if (actual_space == StateSpace::shared && find_owner_block(*w.block, address) != w.block)
            resolved.other_block_lanes |= 1u << lane;
        if (actual_space == StateSpace::global || actual_space == StateSpace::constant)
            resolved.global_lanes |= 1u << lane;
    }
    return true;
}

void count_access(Warp& w, u32 site, const ResolvedAddresses& resolved, u32 bytes) {
    SiteCounters& counters = w.site_counters[site];
    if (resolved.global_lanes)
        counters.add_global(count_sectors(resolved.address, bytes, resolved.global_lanes),
                            resolved.global_lanes, bytes);
    if (!resolved.shared_lanes) return;
    count_remote_access(w, site, resolved.address, bytes, resolved.other_block_lanes);
    const Mask own_block_lanes = resolved.shared_lanes & ~resolved.other_block_lanes;
    if (!own_block_lanes) return;
    const LaneOffsets offsets = to_offsets(resolved.address, own_block_lanes);
    counters.add_shared(
        count_wavefronts(offsets.data(), bytes, own_block_lanes, SharedAccessKind::store));
}

u32 count_atomic(Warp& w, const Op* op, const ResolvedAddresses& resolved, u32 bytes,
                 Mask looping_lanes) {
    SiteCounters& counters = w.site_counters[op->site];
    if (const Mask lanes = find_acting_lanes(op, resolved.global_lanes))
        counters.add_global(count_atomic_sectors(resolved.address, bytes, lanes), lanes, bytes);
    if (!resolved.shared_lanes) return 0;
    count_remote_atomic(w, op->site, resolved.address, bytes,
                        find_acting_lanes(op, resolved.other_block_lanes));
    const Mask own_block_lanes =
        find_acting_lanes(op, resolved.shared_lanes & ~resolved.other_block_lanes & ~looping_lanes);
    if (!own_block_lanes) return 0;
    const LaneOffsets offsets = to_offsets(resolved.address, own_block_lanes);
    const Wavefronts wavefronts =
        op->detail & kOncePerWordBit
            ? count_wavefronts(offsets.data(), bytes, own_block_lanes, SharedAccessKind::load)
            : count_atomic_wavefronts(offsets.data(), bytes, own_block_lanes,
                                      (op->detail & kComparesBit) != 0);
    counters.add_shared(wavefronts);
    return wavefronts.wavefront_count;
}

void notify_listener(const Warp& w, const Op* op, const ResolvedAddresses& resolved,
                     ObservedAccess access) {
    if (!w.listener) return;
    const auto notify_lanes = [&](Mask lanes) {
        return access.kind == Access::atomic ? find_acting_lanes(op, lanes) : lanes;
    };
    access.addresses = resolved.address;
    access.lanes = notify_lanes(resolved.global_lanes);
    if (access.lanes) w.listener->note_access(w, op, access);
    access.lanes = notify_lanes(resolved.shared_lanes);
    access.is_shared = true;
    if (access.lanes) w.listener->note_access(w, op, access);
}

bool read_bytes(const Warp& w, u64 generic_address, int lane, u32 bytes, void* destination) {
    const Allocation* last_allocation = nullptr;
    const u8* source = find_host_address(w, address_in_space(generic_address), lane, bytes,
                                         find_space_of_address(generic_address), last_allocation);
    if (source) std::memcpy(destination, source, bytes);
    return source != nullptr;
}

std::optional<std::string> read_string(const Warp& w, u64 generic_address, int lane, u64 limit) {
    const StateSpace space = find_space_of_address(generic_address);
    const u64 address = address_in_space(generic_address);
    const Allocation* last_allocation = nullptr;
    std::string text;
    for (; text.size() < limit;) {
        const u8* character_address =
            find_host_address(w, address + text.size(), lane, 1, space, last_allocation);
        if (!character_address) return std::nullopt;
        if (!*character_address) break;
        text.push_back(static_cast<char>(*character_address));
    }
    return text;
}

u8* resolve_address(Warp& w, const Op* op, u64 address, int lane, u32 bytes, StateSpace space,
                    Access access) {
    u64 addresses[kLanes];
    addresses[lane] = address;
    ResolvedAddresses resolved;
    const Mask active_lanes = std::exchange(w.active, 1u << lane);
    const bool is_resolved = resolve_addresses(w, op, addresses, 0, bytes, space, access, resolved);
    w.active = active_lanes;
    return is_resolved ? resolved.host[lane] : nullptr;
}

}  // namespace coalesce::simulator
