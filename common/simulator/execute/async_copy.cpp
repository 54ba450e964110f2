// cp.async: copies from global to shared memory that proceed while the threads do other work.
//
// Idea   A copy is queued when it is issued, and executed as late as the program allows: when the
//        issuing thread waits for it. A kernel that forgets to wait therefore reads old bytes from
//        shared memory here, as it may on hardware.
// Groups Every thread counts its own groups. The copies of a warp are queued in the order in which
//        they were issued. An entry covers all lanes that issued the copy with the same number of
//        committed groups.
// Watch  If the thread reads fewer bytes than it writes, the rest is filled with zeros.
#include <algorithm>
#include <array>
#include <deque>
#include <utility>

#include "simulator/execute/access_listener.h"
#include "simulator/execute/async_copy.h"
#include "simulator/execute/cluster.h"
#include "simulator/execute/describe.h"
#include "simulator/execute/memory_access.h"

namespace coalesce::simulator {

/// The copies issued by one instruction. AsyncCopies stores them, so the type cannot be local to
/// this file.
struct AsyncCopy {
    Mask lanes = 0;
    u32 group = 0;  ///< number of groups that `lanes` had already committed
    u32 bytes = 0;
    u32 site = 0;
    std::array<u8*, kLanes> destinations;
    std::array<const u8*, kLanes> sources;
    /// number of bytes to read; the rest of the destination is zeroed
    std::array<u8, kLanes> bytes_to_read;
};

struct WarpCopies {
    std::deque<AsyncCopy> pending;
    std::array<u32, kLanes> committed_groups{};  ///< number of groups that each lane has committed
};

namespace {

void execute_copy(Block& block, const AsyncCopy& copy, Mask lanes) {
    for (const int l : LaneRange{lanes}) {
        // A lane that copies no bytes may have an invalid source address, so do not read from it.
        if (copy.bytes_to_read[l] != 0)
            std::memcpy(copy.destinations[l], copy.sources[l], copy.bytes_to_read[l]);
        std::memset(copy.destinations[l] + copy.bytes_to_read[l], 0,
                    copy.bytes - copy.bytes_to_read[l]);
        block.copy_bytes_in_flight -= copy.bytes_to_read[l];
    }
}

}  // namespace

struct Block::AsyncCopies {
    std::vector<WarpCopies> warps;
};

namespace {

WarpCopies& pending_copies(Warp& w) {
    Block& block = *w.block;
    if (!block.async_copies) block.async_copies = std::make_shared<Block::AsyncCopies>();
    auto& warps = block.async_copies->warps;
    if (warps.size() <= w.index) warps.resize(w.index + 1);
    return warps[w.index];
}

/// Executes the pending copies of the active lanes, except those of each lane's latest
/// `groups_left` groups. If `completes_all_groups` is true, executes all copies, including those
/// that are not committed to a group.
void complete_groups(Warp& w, u32 groups_left, bool completes_all_groups) {
    WarpCopies& copies = pending_copies(w);
    for (AsyncCopy& copy : copies.pending) {
        // Waiting for all but the latest groups completes every earlier group.
        const Mask due_lanes = select_lanes(copy.lanes & w.active, [&](int l) {
            return completes_all_groups ||
                   u64{copy.group} + groups_left < copies.committed_groups[l];
        });
        execute_copy(*w.block, copy, due_lanes);
        copy.lanes &= ~due_lanes;
        if (due_lanes) w.block->watch->note_memory_change();
    }
    while (!copies.pending.empty() && !copies.pending.front().lanes) copies.pending.pop_front();
}

/// Removes the reported copies for which `has_arrived` returns true, so that they no longer count
/// as in flight.
template <class HasArrived>
void forget_reported_copies(Block& block, HasArrived has_arrived) {
    std::erase_if(block.reported_copies, [&](ReportedCopies& reported_copies) {
        if (!has_arrived(reported_copies)) return false;
        block.copy_bytes_in_flight -= reported_copies.bytes;
        return true;
    });
}

/// Counts a wait by the active lanes if any of them has a pending copy. After the wait, the warp's
/// copies that report to an mbarrier have arrived as well.
void count_wait(Warp& w) {
    forget_reported_copies(*w.block, [&](const ReportedCopies& reported_copies) {
        return reported_copies.warp == w.index;
    });
    for (const AsyncCopy& copy : pending_copies(w).pending) {
        if ((copy.lanes & w.active) == 0) continue;
        ++w.site_counters[copy.site].wait_count;
        return;
    }
}

// ---- handlers ----

/// The kinds of operand that may follow the size operand of a cp.async.
enum class SourceSize : u8 {
    whole,    ///< no operand: all bytes are read
    size,     ///< Op::c: the number of bytes to read
    ignored,  ///< Op::c is a predicate; no bytes are read if it is true
};

template <SourceSize Kind>
u32 count_source_bytes(const Warp& w, const Op* op, int lane) {
    const u32 bytes = op->count;
    if constexpr (Kind == SourceSize::size) return std::min(bytes, w.lanes<u32>(op->c)[lane]);
    if constexpr (Kind == SourceSize::ignored) return w.predicate(op->c) >> lane & 1 ? 0 : bytes;
    return bytes;
}

/// Notifies the listener of a copy for which at least one active lane has an invalid address. (The
/// listener is also notified of loads with invalid addresses.)
void notify_of_invalid_copy(const Warp& w, const Op* op, const u64* base, i64 offset,
                            bool is_shared, const ObservedAccess& access) {
    ResolvedAddresses resolved;
    for (const int l : LaneRange{w.active})
        resolved.address[l] = base[l] + static_cast<u64>(offset);
    (is_shared ? resolved.shared_lanes : resolved.global_lanes) = w.active;
    notify_listener(w, op, resolved, access);
}

/// Executes cp.async. Op::a is the destination in shared memory, Op::b the source, and Op::count
/// the number of bytes.
template <SourceSize Kind>
const Op* run_copy(Warp& w, const Op* op) {
    if (w.has_recorded_enough) return op + 1;
    const u32 bytes = op->count;
    AsyncCopy copy;
    copy.bytes = bytes;
    copy.site = op->site;
    for (const int l : LaneRange{w.active})
        copy.bytes_to_read[l] = static_cast<u8>(count_source_bytes<Kind>(w, op, l));
    const Mask reading_lanes =
        select_lanes(w.active, [&](int l) { return copy.bytes_to_read[l] != 0; });

    ResolvedAddresses destinations, sources;
    if (!resolve_addresses(w, op, w.lanes<u64>(op->a), first_offset(op), bytes,
                           ptx::StateSpace::shared, Access::store, destinations)) {
        const ObservedAccess store{.kind = Access::store, .is_asynchronous = true, .bytes = bytes};
        notify_of_invalid_copy(w, op, w.lanes<u64>(op->a), first_offset(op), true, store);
        return nullptr;
    }
    if (!are_own_addresses(w, op, destinations)) return nullptr;
    // A lane that reads nothing may have any source address, so do not resolve its address.
    const Mask active_lanes = std::exchange(w.active, reading_lanes);
    const ObservedAccess load{.is_asynchronous = true, .bytes = bytes};
    const bool is_resolved = resolve_addresses(w, op, w.lanes<u64>(op->b), second_offset(op), bytes,
                                               ptx::StateSpace::global, Access::load, sources,
                                               copy.bytes_to_read.data());
    if (!is_resolved)
        notify_of_invalid_copy(w, op, w.lanes<u64>(op->b), second_offset(op), false, load);
    else if (reading_lanes)
        notify_listener(w, op, sources, load);
    w.active = active_lanes;
    if (!is_resolved) return nullptr;
    notify_listener(w, op, destinations,
                    {.kind = Access::store, .is_asynchronous = true, .bytes = bytes});
    count_access(w, op->site, destinations, bytes);
    if (reading_lanes) count_access(w, op->site + 1, sources, bytes);
    note_async_copy(w, op, destinations, bytes, sources, copy.bytes_to_read.data());

    for (const int l : LaneRange{w.active}) {
        copy.destinations[l] = destinations.host[l];
        copy.sources[l] = copy.bytes_to_read[l] ? sources.host[l] : nullptr;
        w.block->copy_bytes_in_flight += copy.bytes_to_read[l];
    }
    WarpCopies& copies = pending_copies(w);
    // Create a separate entry for each number of committed groups. Almost always, this number is
    // the same in all lanes.
    for (Mask remaining_lanes = w.active; remaining_lanes;) {
        copy.group = copies.committed_groups[std::countr_zero(remaining_lanes)];
        copy.lanes = select_lanes(remaining_lanes,
                                  [&](int l) { return copies.committed_groups[l] == copy.group; });
        remaining_lanes &= ~copy.lanes;
        copies.pending.push_back(copy);
    }
    w.block->watch->note_memory_change();
    return op + 1;
}

const Op* run_commit_group(Warp& w, const Op* op) {
    WarpCopies& copies = pending_copies(w);
    for (const int l : LaneRange{w.active}) ++copies.committed_groups[l];
    if (!copies.pending.empty()) w.block->watch->note_memory_change();
    if (w.block->shared_race)
        w.block->shared_race->commit_async_copies(race_check_warp(w), w.active);
    return op + 1;
}

template <bool Everything>
const Op* run_wait_group(Warp& w, const Op* op) {
    const u32 groups_left = static_cast<u32>(op->immediate);
    count_wait(w);
    complete_groups(w, groups_left, Everything);
    if (w.block->shared_race)
        w.block->shared_race->wait_for_async_copies(race_check_warp(w), w.active, groups_left,
                                                    Everything);
    return op + 1;
}

Description describe_copy(const ptx::Instruction& i, const ptx::Function& function) {
    if (i.operands.size() < 3 || i.operands[2].kind != ptx::Operand::Kind::immediate)
        return std::nullopt;
    const u32 bytes = static_cast<u32>(i.operands[2].bits);
    if (bytes != 4 && bytes != 8 && bytes != 16) return std::nullopt;
    if (i.has("cg") && bytes != 16) return std::nullopt;

    std::vector<OperandRole> roles = {
        {Role::address, Width::w64}, {Role::address2, Width::w64}, {}};
    Handler run = run_copy<SourceSize::whole>;
    if (i.operands.size() > roles.size() + i.has("L2::cache_hint")) {
        const bool has_predicate = is_predicate(i, function, 3);
        run = has_predicate ? run_copy<SourceSize::ignored> : run_copy<SourceSize::size>;
        roles.push_back({Role::c, has_predicate ? Width::predicate : Width::w32});
    }
    return describe(
        i, {.run = run,
            .operands = std::move(roles),
            .memory_uses =
                {{.space = ptx::StateSpace::shared, .is_store = true, .bytes_per_lane = bytes},
                 {.space = ptx::StateSpace::global, .is_load = true, .bytes_per_lane = bytes}},
            .count = static_cast<u8>(bytes),
            .has_side_effects = true});
}

}  // namespace

void report_copies(Warp& w, std::vector<MbarrierPhase> phases) {
    // A kernel that never waits could otherwise make these lists arbitrarily long.
    constexpr std::size_t max_phases = 64, max_reports = 1024;
    Block& block = *w.block;
    // The copies report to every mbarrier at which their warp arrives in this way.
    forget_reported_copies(block, [&](ReportedCopies& reported_copies) {
        if (reported_copies.warp != w.index) return false;
        reported_copies.phases.insert(reported_copies.phases.end(), phases.begin(), phases.end());
        return reported_copies.phases.size() > max_phases;
    });
    ReportedCopies reported_copies{.warp = w.index, .phases = std::move(phases)};
    for (const AsyncCopy& copy : pending_copies(w).pending) {
        if ((copy.lanes & w.active) == 0) continue;
        if (reported_copies.bytes == 0) reported_copies.site = copy.site;
        for (const int l : LaneRange{copy.lanes & w.active})
            reported_copies.bytes += copy.bytes_to_read[l];
    }
    complete_groups(w, 0, true);
    if (reported_copies.bytes == 0 || block.reported_copies.size() >= max_reports) return;
    block.copy_bytes_in_flight += reported_copies.bytes;
    block.reported_copies.push_back(std::move(reported_copies));
}

void count_wait_for_reported_copies(Warp& w, MbarrierPhase phase) {
    forget_reported_copies(*w.block, [&](const ReportedCopies& reported_copies) {
        if (std::ranges::count(reported_copies.phases, phase) == 0) return false;
        ++w.site_counters[reported_copies.site].wait_count;
        return true;
    });
}

// Describes these instructions:
//   cp.async.{ca,cg}.shared.global [to], [from], size{, bytes to read | ignore}{, cache policy}
//   cp.async.commit_group;  cp.async.wait_group N;  cp.async.wait_all;
//   cp.async.mbarrier.arrive [a]
Description describe_cp(const ptx::Instruction& i, const ptx::Function& function) {
    if (!i.has("async")) return std::nullopt;
    if (i.has("bulk")) return describe_bulk_copy(i);
    if (i.has("commit_group"))
        return describe(i, {.run = run_commit_group, .has_side_effects = true});
    if (i.has("wait_group"))
        return describe(i, {.run = run_wait_group<false>,
                            .operands = {{Role::constant}},
                            .has_side_effects = true});
    if (i.has("wait_all"))
        return describe(i, {.run = run_wait_group<true>, .has_side_effects = true});
    return i.has("mbarrier") ? describe_copy_arrival(i) : describe_copy(i, function);
}

}  // namespace coalesce::simulator
