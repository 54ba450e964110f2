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
SharedAccess shared_lanes(const Warp& w, u32 site, const Resolved& where,
                          const LaneOffsets& offsets, u32 bytes) {
    return {.warp = race_warp(w),
            .site = site,
            .active = where.in_shared,
            .addresses = offsets.data(),
            .bytes_per_lane = bytes};
}

GlobalAccess global_lanes(const Warp& w, u32 site, const Resolved& where, u32 bytes,
                          GlobalAccess::Kind kind) {
    return {.kind = kind,
            .warp = w.index,
            .site = site,
            .active = where.in_global,
            .addresses = where.address,
            .bytes_per_lane = bytes};
}

/// For each lane, the uninitialized bytes that it has read without this being an error.
struct Undefined {
    u32 bytes[kLanes] = {};
    bool any = false;
};

/// Checks that all bytes read by the lanes are initialized. `wanted` contains the number of bytes
/// that each lane reads; null means that every lane reads `bytes`.
Undefined check_written(Warp& w, const Op* op, u32 site, const Resolved& where, u32 bytes,
                        LaneAccess::Kind kind, const u8* wanted = nullptr) {
    const Launch& launch = *w.block->launch;
    Undefined undefined;
    for (const int lane : LanesIn{where.in_global}) {
        const u64 address = where.address[lane];
        const Allocation* allocation = launch.allocations->find(address);
        if (!allocation || !allocation->has_shadow) continue;
        const bool written = lane_written(launch.memory->shadow(address), address, bytes);
        if (written) continue;
        LaneAccess access{.kind = kind, .address = address, .bytes = wanted ? wanted[lane] : bytes};
        access.unwritten = launch.memory->unwritten_bytes(address, access.bytes);
        if (access.unwritten == 0) continue;
        undefined.bytes[lane] = find_undefined_bytes(w, op, site, lane, access);
        undefined.any |= undefined.bytes[lane] != 0;
    }
    return undefined;
}

void mark_written(Warp& w, const Resolved& where, u32 bytes) {
    DeviceMemory& memory = *w.block->launch->memory;
    for (const int lane : LanesIn{where.in_global}) {
        if (!memory.is_device_range(where.address[lane])) continue;
        const u8 bits = shadow_bits(where.address[lane], std::min(bytes, 4u));
        for (u32 done = 0; done < bytes; done += 4) {
            u8* shadow = memory.shadow(where.address[lane] + done);
            if ((*shadow & bits) != bits) __atomic_fetch_or(shadow, bits, __ATOMIC_RELAXED);
        }
    }
}

}  // namespace

void pass_to_race_check(Warp& w, u32 site, const Resolved& where, u32 bytes, Access access) {
    const auto kind = access == Access::load ? GlobalAccess::Kind::read : GlobalAccess::Kind::write;
    if (GlobalRace* race = w.block->launch->global_race)
        race->access(w.block->global_race, global_lanes(w, site, where, bytes, kind));
}

void note_atomic(Warp& w, const Op* op, const Resolved& where, u32 bytes) {
    Block& block = *w.block;
    const bool releases = op->detail & kReleasesBit;
    if (where.in_global) {
        if (w.checks.init) {
            if (!(op->detail & kOverwritesBit))
                check_written(w, op, op->site, where, bytes, LaneAccess::Kind::atomic);
            mark_written(w, where, bytes);
        }
        if (GlobalRace* race = block.launch->global_race) {
            GlobalAccess access =
                global_lanes(w, op->site, where, bytes, GlobalAccess::Kind::atomic);
            access.strong = true;
            access.releases = releases;
            race->access(block.global_race, access);
        }
    }
    if (where.in_shared && block.shared_race) {
        const LaneOffsets offsets = to_offsets(where.address, where.in_shared);
        SharedAccess access = shared_lanes(w, op->site, where, offsets, bytes);
        access.strong = true;
        access.releases = releases;
        if (op->detail & kOverwritesBit)
            for (const int l : LanesIn{where.in_shared})
                block.shared_race->mark_written(offsets[l], bytes);
        block.shared_race->atomic(access);
    }
}

void finish_atomic(Warp& w, const Op* op, const Resolved& where, u32 bytes, bool changed) {
    Block& block = *w.block;
    if (where.in_global) {
        if (GlobalRace* race = block.launch->global_race) race->acquire(block.global_race, w.index);
    }
    if (where.in_shared && block.shared_race) {
        const LaneOffsets offsets = to_offsets(where.address, where.in_shared);
        block.shared_race->acquire(shared_lanes(w, op->site, where, offsets, bytes));
    }
    if (changed) block.watch->memory_changed();
}

namespace {

/// For each lane of a cp.async, passes the bytes that it reads to the race check. Lanes that read
/// the same number of bytes are passed together. At the end of an array, a lane may read fewer
/// bytes than it writes.
void pass_source_to_race_check(Warp& w, u32 site, const Resolved& from, u32 bytes,
                               const u8* wanted) {
    Resolved part = from;
    for (Mask rest = from.in_global; rest; rest &= ~part.in_global) {
        const u32 first = wanted[std::countr_zero(rest)];
        part.in_global = lanes_where(rest, [&](int l) { return wanted[l] == first; });
        pass_to_race_check(w, site, part, std::min(first, bytes), Access::load);
    }
}

}  // namespace

void note_copy(Warp& w, const Op* op, const Resolved& to, u32 bytes, const Resolved& from,
               const u8* wanted) {
    Block& block = *w.block;
    Undefined undefined;
    if (from.in_global) {
        if (w.checks.init)
            undefined =
                check_written(w, op, op->site + 1, from, bytes, LaneAccess::Kind::read, wanted);
        pass_source_to_race_check(w, op->site + 1, from, bytes, wanted);
    }
    if (block.shared_race) {
        const LaneOffsets offsets = to_offsets(to.address, to.in_shared);
        const SharedAccess access = shared_lanes(w, op->site, to, offsets, bytes);
        block.shared_race->async_write(access);
        if (undefined.any) block.shared_race->mark_unwritten(access, undefined.bytes);
    }
}

bool note_bulk(Warp& w, const Op* op, u32 site, const Resolved& where, u32 bytes, bool reads) {
    bool is_defined = true;
    if (w.checks.init) {
        if (reads)
            is_defined = !check_written(w, op, site, where, bytes, LaneAccess::Kind::read).any;
        else
            mark_written(w, where, bytes);
    }
    pass_to_race_check(w, site, where, bytes, load_or_store(!reads));
    return is_defined;
}

void fence(Warp& w, GlobalRace::Scope scope) {
    Block& block = *w.block;
    if (GlobalRace* race = block.launch->global_race)
        race->fence(block.global_race, w.index, scope);
    if (block.shared_race) block.shared_race->fence(race_warp(w));
}

}  // namespace coalesce::simulator
