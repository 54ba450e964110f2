// Passes atomics, asynchronous copies and fences to the race and initialization checks.
//
// Builds on  memory_access.h, which resolves the addresses, and checks/*.h, which check the
//            accesses.
#include <algorithm>

#include "simulator/checks/access_report.h"
#include "simulator/execute/memory_access.h"
#include "simulator/execute/undefined.h"

namespace coalesce::simulator {

namespace {

/// Returns the lanes of an access whose addresses are in shared memory, in the form that the
/// checker expects.
SharedAccess make_shared_access(const Warp& w, u32 site, const ResolvedAddresses& resolved,
                                const LaneOffsets& offsets, u32 bytes) {
    return {.warp = race_check_warp(w),
            .site = site,
            .active = resolved.shared_lanes,
            .addresses = offsets.data(),
            .bytes_per_lane = bytes};
}

GlobalAccess make_global_access(const Warp& w, u32 site, const ResolvedAddresses& resolved,
                                u32 bytes, GlobalAccess::Kind kind) {
    return {.kind = kind,
            .warp = w.index,
            .site = site,
            .active = resolved.global_lanes,
            .addresses = resolved.address,
            .bytes_per_lane = bytes};
}

/// For each lane, a mask of the uninitialized bytes that it has read, unless reading them was an
/// error.
struct UndefinedReads {
    u32 bytes[kLanes] = {};
    bool has_bytes = false;
};

/// Checks that all bytes read by the lanes are initialized. `bytes_per_lane` contains the number of
/// bytes that each lane reads; null means that every lane reads `bytes`.
UndefinedReads check_written(Warp& w, const Op* op, u32 site, const ResolvedAddresses& resolved,
                             u32 bytes, LaneAccess::Kind kind, const u8* bytes_per_lane = nullptr) {
    const Launch& launch = *w.block->launch;
    UndefinedReads undefined_reads;
    for (const int lane : LaneRange{resolved.global_lanes}) {
        const u64 address = resolved.address[lane];
        const Allocation* allocation = launch.allocations->find(address);
        if (!allocation || !allocation->has_shadow) continue;
        const bool is_written = is_lane_written(launch.memory->shadow(address), address, bytes);
        if (is_written) continue;
        LaneAccess access{.kind = kind,
                          .address = address,
                          .bytes = bytes_per_lane ? bytes_per_lane[lane] : bytes};
        access.unwritten_mask = launch.memory->unwritten_bytes(address, access.bytes);
        if (access.unwritten_mask == 0) continue;
        undefined_reads.bytes[lane] = find_undefined_bytes(w, op, site, lane, access);
        undefined_reads.has_bytes |= undefined_reads.bytes[lane] != 0;
    }
    return undefined_reads;
}

void mark_written(Warp& w, const ResolvedAddresses& resolved, u32 bytes) {
    DeviceMemory& memory = *w.block->launch->memory;
    for (const int lane : LaneRange{resolved.global_lanes}) {
        if (!memory.is_device_range(resolved.address[lane])) continue;
        const u8 bits = shadow_bits(resolved.address[lane], std::min(bytes, 4u));
        for (u32 checked_bytes = 0; checked_bytes < bytes; checked_bytes += 4) {
            u8* shadow = memory.shadow(resolved.address[lane] + checked_bytes);
            if ((*shadow & bits) != bits) __atomic_fetch_or(shadow, bits, __ATOMIC_RELAXED);
        }
    }
}

}  // namespace

void pass_to_race_check(Warp& w, u32 site, const ResolvedAddresses& resolved, u32 bytes,
                        Access access) {
    const auto kind = access == Access::load ? GlobalAccess::Kind::read : GlobalAccess::Kind::write;
    if (GlobalRace* race = w.block->launch->global_race)
        race->check_access(w.block->global_race,
                           make_global_access(w, site, resolved, bytes, kind));
}

void note_atomic(Warp& w, const Op* op, const ResolvedAddresses& resolved, u32 bytes) {
    Block& block = *w.block;
    const bool releases = op->detail & kReleasesBit;
    if (resolved.global_lanes) {
        if (w.checks.runs_initcheck) {
            if (!(op->detail & kOverwritesBit))
                check_written(w, op, op->site, resolved, bytes, LaneAccess::Kind::atomic);
            mark_written(w, resolved, bytes);
        }
        if (GlobalRace* race = block.launch->global_race) {
            GlobalAccess access =
                make_global_access(w, op->site, resolved, bytes, GlobalAccess::Kind::atomic);
            access.is_strong = true;
            access.releases = releases;
            race->check_access(block.global_race, access);
        }
    }
    if (resolved.shared_lanes && block.shared_race) {
        const LaneOffsets offsets = to_offsets(resolved.address, resolved.shared_lanes);
        SharedAccess access = make_shared_access(w, op->site, resolved, offsets, bytes);
        access.is_strong = true;
        access.releases = releases;
        if (op->detail & kOverwritesBit)
            for (const int l : LaneRange{resolved.shared_lanes})
                block.shared_race->mark_written(offsets[l], bytes);
        block.shared_race->check_atomic(access);
    }
}

void finish_atomic(Warp& w, const Op* op, const ResolvedAddresses& resolved, u32 bytes,
                   bool has_changed) {
    Block& block = *w.block;
    if (resolved.global_lanes) {
        if (GlobalRace* race = block.launch->global_race) race->acquire(block.global_race, w.index);
    }
    if (resolved.shared_lanes && block.shared_race) {
        const LaneOffsets offsets = to_offsets(resolved.address, resolved.shared_lanes);
        block.shared_race->acquire(make_shared_access(w, op->site, resolved, offsets, bytes));
    }
    if (has_changed) block.watch->note_memory_change();
}

namespace {

/// For each lane of a cp.async, passes the bytes that it reads to the race check. Lanes that read
/// the same number of bytes are passed together. At the end of an array, a lane may read fewer
/// bytes than it writes.
void pass_source_to_race_check(Warp& w, u32 site, const ResolvedAddresses& source, u32 bytes,
                               const u8* bytes_per_lane) {
    ResolvedAddresses same_size_lanes = source;
    for (Mask remaining_lanes = source.global_lanes; remaining_lanes;
         remaining_lanes &= ~same_size_lanes.global_lanes) {
        const u32 lane_bytes = bytes_per_lane[std::countr_zero(remaining_lanes)];
        same_size_lanes.global_lanes =
            select_lanes(remaining_lanes, [&](int l) { return bytes_per_lane[l] == lane_bytes; });
        pass_to_race_check(w, site, same_size_lanes, std::min(lane_bytes, bytes), Access::load);
    }
}

}  // namespace

void note_async_copy(Warp& w, const Op* op, const ResolvedAddresses& destination, u32 bytes,
                     const ResolvedAddresses& source, const u8* bytes_per_lane) {
    Block& block = *w.block;
    UndefinedReads undefined_reads;
    if (source.global_lanes) {
        if (w.checks.runs_initcheck)
            undefined_reads = check_written(w, op, op->site + 1, source, bytes,
                                            LaneAccess::Kind::read, bytes_per_lane);
        pass_source_to_race_check(w, op->site + 1, source, bytes, bytes_per_lane);
    }
    if (block.shared_race) {
        const LaneOffsets offsets = to_offsets(destination.address, destination.shared_lanes);
        const SharedAccess access = make_shared_access(w, op->site, destination, offsets, bytes);
        block.shared_race->begin_async_copy(access);
        if (undefined_reads.has_bytes)
            block.shared_race->mark_unwritten(access, undefined_reads.bytes);
    }
}

bool note_bulk_access(Warp& w, const Op* op, u32 site, const ResolvedAddresses& resolved, u32 bytes,
                      bool is_read) {
    bool is_defined = true;
    if (w.checks.runs_initcheck) {
        if (is_read)
            is_defined =
                !check_written(w, op, site, resolved, bytes, LaneAccess::Kind::read).has_bytes;
        else
            mark_written(w, resolved, bytes);
    }
    pass_to_race_check(w, site, resolved, bytes, load_or_store(!is_read));
    return is_defined;
}

void note_fence(Warp& w, GlobalRace::Scope scope) {
    Block& block = *w.block;
    if (GlobalRace* race = block.launch->global_race)
        race->record_fence(block.global_race, w.index, scope);
    if (block.shared_race) block.shared_race->record_fence(race_check_warp(w));
}

}  // namespace coalesce::simulator
