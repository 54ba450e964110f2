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

Report describe_no_constant(Report report, const LaneAccess& what) {
    report.address = what.address;
    report.message = "Reads " + std::to_string(what.bytes) +
                     " bytes of constant memory (ld.const), but the address is in global memory.";
    report.cure = "Load these bytes with ld.global.";
    return report;
}

Failed misaligned(Warp& w, const Op* op, u64 address, int lane, u32 bytes, StateSpace space,
                  Access access) {
    const Report report = describe_misaligned(w.describe(op, "memcheck", "misaligned", lane),
                                              lane_access(address, bytes, access), space,
                                              w.block->launch->allocations.get());
    return w.fail(Status::misaligned_address, report);
}

Failed store_to_parameters(Warp& w, const Op* op, u64 address, int lane) {
    return w.fail(op, Status::illegal_address, "memcheck", "out of bounds",
                  "stores to the kernel's parameters, which are read-only", lane, address);
}

/// Returns the host address of bytes in a state space, or nullptr if the bytes are out of bounds.
/// `near` holds the allocation that the previous lane accessed, and is updated.
u8* host_address(const Warp& w, u64 address, int lane, u32 bytes, StateSpace space,
                 const Allocation*& near) {
    const Block& block = *w.block;
    const auto is_within = [&](u64 size) {
        return address + bytes <= size && address + bytes > address;
    };
    switch (space) {
        case StateSpace::shared: return find_in_shared(block, address, bytes);
        case StateSpace::local:
            return is_within(w.local_bytes)
                       ? w.local + u64{w.local_bytes} * static_cast<u32>(lane) + address
                       : nullptr;
        case StateSpace::param: {
            auto& memory = block.launch->parameters;
            return is_within(memory.size()) ? memory.data() + address : nullptr;
        }
        default: break;
    }
    if (!near || !near->contains(address, bytes)) near = block.launch->allocations->find(address);
    if (!near || !near->contains(address, bytes)) return nullptr;
    if (const DeviceHeap& heap = DeviceHeap::instance(); heap.contains(address)) {
        const Interval piece = heap.find(address);
        if (address + bytes > piece.end) return nullptr;
    }
    // Reads through the constant space are not counted as requests, so allow only reads of constant
    // memory.
    if (space == StateSpace::constant && near->kind != AllocationKind::constant) return nullptr;
    return reinterpret_cast<u8*>(address + near->to_host);
}

/// Resolves addresses in shared memory for the most common kind of access. Returns false if an
/// address is invalid, or if the slow path is needed.
bool resolve_shared(const Warp& w, const u64* base, i64 offset, u32 bytes, Resolved& out) {
    const u64 size = w.block->shared_bytes;
    if (w.block->cluster) return false;
    if (size < bytes || !std::has_single_bit(bytes) || bytes > 16) return false;
    u64 bad = 0;
    for (int l = 0; l < kLanes; ++l) {
        const u64 address = base[l] + static_cast<u64>(offset);
        const u64 active = w.active >> l & 1 ? ~u64{0} : 0;
        bad |= active & (static_cast<u64>(address > size - bytes) | (address & (bytes - 1)));
    }
    if (bad != 0) return false;
    for (const int lane : LanesIn{w.active}) {
        out.address[lane] = base[lane] + static_cast<u64>(offset);
        out.host[lane] = w.block->shared + out.address[lane];
    }
    out.in_shared = w.active;
    return true;
}

/// Returns zero-filled memory for a lane that accesses global memory in a dry run. Stores go to a
/// separate buffer for each lane, because loaded values may be read after other lanes have stored.
u8* zeroed_memory(int lane, u32 bytes, Access access) {
    constexpr u32 kMost = 64;
    alignas(kMost) thread_local u8 written[kLanes][kMost];
    alignas(kMost) static u8 zeros[kMost];
    if (access == Access::load) return zeros;
    std::memset(written[lane], 0, bytes);
    return written[lane];
}

/// Describes an invalid access to the device heap, from which malloc in kernels allocates. If the
/// memory has been freed, the report names the call to free() as the other access.
Report bad_heap_address(const Launch& launch, Report report, const LaneAccess& access) {
    const DeviceHeap& heap = DeviceHeap::instance();
    const Interval freed = heap.find_freed(access.address), below = heap.find_below(access.address);
    if (freed.size() == 0) return describe_bad_heap(report, access, 0, below);
    const DeviceHeap::Freer& freer = heap.freer_of(freed.begin);
    const bool is_own = freer.block == report.block && freer.thread == report.thread;
    report.other = freer.where;
    report.other_block = freer.block;
    report.other_thread = freer.thread;
    return describe_bad_heap(report, access, freed.size(), below,
                             launch.code->needs_heap && !is_own && heap.is_of_this_launch(freer));
}

}  // namespace

const Allocation* find_intended(const Launch& launch, u32 site) {
    if (site >= launch.kernel->sites.size()) return nullptr;
    const Allocation* intended = nullptr;
    for (const u32 offset : launch.kernel->sites[site].pointers) {
        u64 pointer = 0;
        if (offset + sizeof pointer > launch.parameters.size()) return nullptr;
        std::memcpy(&pointer, launch.parameters.data() + offset, sizeof pointer);
        const Allocation* found = launch.allocations->find(pointer);
        if (found && intended && found != intended) return nullptr;
        if (found) intended = found;
    }
    return intended;
}

Failed bad_address(Warp& w, const Op* op, u64 address, int lane, u32 bytes, StateSpace space,
                   Access access) {
    const Launch& launch = *w.block->launch;
    if (space == StateSpace::shared && w.block->cluster)
        return bad_cluster_address(w, op, address, lane, bytes, access);
    const LaneAccess what = lane_access(address, bytes, access);
    Report report = w.describe(op, "memcheck", "out of bounds", lane);
    if (space == StateSpace::shared)
        report = describe_bad_shared(report, what, launch.kernel->static_shared,
                                     launch.config.dynamic_shared);
    else if (space == StateSpace::local)
        report = describe_bad_local(report, what, w.local_bytes);
    else if (space == StateSpace::constant && launch.allocations->find(address))
        report = describe_no_constant(report, what);
    else if (DeviceHeap::instance().contains(address))
        report = bad_heap_address(launch, report, what);
    else
        report = describe_bad_global(report, what, *launch.allocations, launch.code->needs_heap,
                                     find_intended(launch, op->site));
    return w.fail(Status::illegal_address, report);
}

StateSpace space_at(u64 generic_address) {
    constexpr StateSpace spaces[] = {StateSpace::shared, StateSpace::local, StateSpace::param};
    const u64 offset = generic_address - shared_window();
    const u64 window = offset / kWindowStride;
    if (window >= std::size(spaces)) return StateSpace::global;
    const bool is_beyond =
        spaces[window] == StateSpace::param && offset % kWindowStride >= kWindowBytes;
    return is_beyond ? StateSpace::global : spaces[window];
}

bool resolve(Warp& w, const Op* op, const u64* base, i64 offset, u32 bytes, StateSpace space,
             Access access, Resolved& out, const u8* wanted) {
    const Allocation* near = nullptr;
    out.in_shared = out.in_global = out.in_other = 0;
    if (space == StateSpace::shared && resolve_shared(w, base, offset, bytes, out)) return true;
    for (const int lane : LanesIn{w.active}) {
        u64 address = base[lane] + static_cast<u64>(offset);
        StateSpace actual = space;
        if (space == StateSpace::generic) {
            actual = space_at(address);
            if (actual == StateSpace::local &&
                !check_local_owner(w, op, address, lane, bytes, access != Access::load))
                return false;
            address = address_in_space(address);
        }
        if (actual == StateSpace::param && access != Access::load)
            return store_to_parameters(w, op, address, lane);
        const bool is_untouched = actual == StateSpace::global && w.block->launch->is_dry_run;
        const u32 accessed = wanted ? wanted[lane] : bytes;
        u8* host = is_untouched ? zeroed_memory(lane, bytes, access)
                                : host_address(w, address, lane, accessed, actual, near);
        if (!host) return bad_address(w, op, address, lane, accessed, actual, access);
        if (address % std::min<u32>(bytes, 16))
            return misaligned(w, op, address, lane, bytes, actual, access);
        out.address[lane] = address;
        out.host[lane] = host;
        if (actual == StateSpace::local && access != Access::load && w.local_shadow)
            mark_local_written(w, lane, address, bytes);
        if (actual == StateSpace::shared) out.in_shared |= 1u << lane;
        if (actual == StateSpace::shared && owner_of(*w.block, address) != w.block)
            out.in_other |= 1u << lane;
        if (actual == StateSpace::global || actual == StateSpace::constant)
            out.in_global |= 1u << lane;
    }
    return true;
}

void count_access(Warp& w, u32 site, const Resolved& where, u32 bytes) {
    SiteCounters& counters = w.counters[site];
    if (where.in_global)
        counters.add_global(count_sectors(where.address, bytes, where.in_global), where.in_global,
                            bytes);
    if (!where.in_shared) return;
    count_remote(w, site, where.address, bytes, where.in_other);
    const Mask here = where.in_shared & ~where.in_other;
    if (!here) return;
    const LaneOffsets offsets = to_offsets(where.address, here);
    counters.add_shared(count_wavefronts(offsets.data(), bytes, here, SharedAccessKind::store));
}

u32 count_atomic(Warp& w, const Op* op, const Resolved& where, u32 bytes, Mask looping) {
    SiteCounters& counters = w.counters[op->site];
    if (const Mask lanes = acting_lanes(op, where.in_global))
        counters.add_global(count_atomic_sectors(where.address, bytes, lanes), lanes, bytes);
    if (!where.in_shared) return 0;
    count_remote_atomic(w, op->site, where.address, bytes, acting_lanes(op, where.in_other));
    const Mask here = acting_lanes(op, where.in_shared & ~where.in_other & ~looping);
    if (!here) return 0;
    const LaneOffsets offsets = to_offsets(where.address, here);
    const Wavefronts counted =
        op->detail & kOncePerWordBit
            ? count_wavefronts(offsets.data(), bytes, here, SharedAccessKind::load)
            : count_atomic_wavefronts(offsets.data(), bytes, here,
                                      (op->detail & kComparesBit) != 0);
    counters.add_shared(counted);
    return counted.taken;
}

void notify_listener(const Warp& w, const Op* op, const Resolved& where, ObservedAccess access) {
    if (!w.listener) return;
    const auto heard = [&](Mask lanes) {
        return access.kind == Access::atomic ? acting_lanes(op, lanes) : lanes;
    };
    access.addresses = where.address;
    access.lanes = heard(where.in_global);
    if (access.lanes) w.listener->note(w, op, access);
    access.lanes = heard(where.in_shared);
    access.shared = true;
    if (access.lanes) w.listener->note(w, op, access);
}

bool read_bytes(const Warp& w, u64 generic_address, int lane, u32 bytes, void* to) {
    const Allocation* near = nullptr;
    const u8* from = host_address(w, address_in_space(generic_address), lane, bytes,
                                  space_at(generic_address), near);
    if (from) std::memcpy(to, from, bytes);
    return from != nullptr;
}

std::optional<std::string> read_string(const Warp& w, u64 generic_address, int lane, u64 limit) {
    const StateSpace space = space_at(generic_address);
    const u64 address = address_in_space(generic_address);
    const Allocation* near = nullptr;
    std::string text;
    for (; text.size() < limit;) {
        const u8* at = host_address(w, address + text.size(), lane, 1, space, near);
        if (!at) return std::nullopt;
        if (!*at) break;
        text.push_back(static_cast<char>(*at));
    }
    return text;
}

u8* resolve_one(Warp& w, const Op* op, u64 address, int lane, u32 bytes, StateSpace space,
                Access access) {
    u64 addresses[kLanes];
    addresses[lane] = address;
    Resolved out;
    const Mask all = std::exchange(w.active, 1u << lane);
    const bool good = resolve(w, op, addresses, 0, bytes, space, access, out);
    w.active = all;
    return good ? out.host[lane] : nullptr;
}

}  // namespace coalesce::simulator
