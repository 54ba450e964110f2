// Implements the parts of shared memory accesses that do not depend on the shape. See
// shared_access.h.
#include "simulator/execute/shared_access.h"

#include <utility>

#include "simulator/checks/access_report.h"
#include "simulator/execute/access_listener.h"
#include "simulator/execute/watch.h"

namespace coalesce::simulator {
namespace {

/// Returns the full address that the instruction computes. It has 32 bits if the address register
/// has 32 bits, and otherwise 64 bits.
u64 full_address(const Warp& w, const Op* op, int lane) {
    if (op->detail & kNarrowAddress)
        return static_cast<u32>(w.lanes<u32>(op->a)[lane] + static_cast<u32>(op->immediate));
    return w.lanes<u64>(op->a)[lane] + static_cast<u64>(op->immediate);
}

/// Reports whether all lanes' addresses are in the block's shared memory and aligned. If not,
/// reports the error and fails the launch.
bool check_addresses(Warp& w, const Op* op, const SharedMove& move) {
    const u32 size = w.block->shared_bytes;
    for (const int l : LaneRange{w.active}) {
        const u64 address = full_address(w, op, l);
        // Adding to an address just below 2^64 would overflow, so compare without adding.
        const bool is_valid =
            address < size && move.bytes <= size - address && (address & (move.bytes - 1)) == 0;
        if (!is_valid && !resolve_address(w, op, address, l, move.bytes, ptx::StateSpace::shared,
                                          load_or_store(move.is_store)))
            return false;
    }
    return true;
}

SharedLedger::Layout find_layout(const u32* addresses, u32 bytes, Mask active) {
    const u32 first_address = addresses[std::countr_zero(active)];
    u32 gap_mask = active ^ kAllLanes, difference_mask = 0;
    for (int l = 0; l < kLanes; ++l) {
        gap_mask |= addresses[l] ^ (addresses[0] + static_cast<u32>(l) * bytes);
        difference_mask |= active >> l & 1 ? addresses[l] ^ first_address : 0;
    }
    return gap_mask == 0          ? SharedLedger::Layout::contiguous
           : difference_mask == 0 ? SharedLedger::Layout::same_address
                                  : SharedLedger::Layout::scattered;
}

}  // namespace

bool check_shared_access(Warp& w, const Op* op, const SharedMove& move, const u32* addresses,
                         u32* undefined_bytes) {
    SharedRace& race = *w.block->shared_race;
    const StoredLanes lanes{&w, op, move.store_lane};
    SharedAccess access{.warp = race_check_warp(w),
                        .site = op->site,
                        .active = w.active,
                        .addresses = addresses,
                        .bytes_per_lane = move.bytes,
                        .is_strong = (op->detail & kStrong) != 0,
                        .releases = (op->detail & kReleases) != 0,
                        .value = lanes.value(),
                        .undefined_bytes = undefined_bytes};
    if (move.is_store) {
        race.check_write(access);
        if (!w.undefined_bytes || !move.find_stored_undefined(w, op, undefined_bytes)) return false;
        race.mark_unwritten(access, undefined_bytes);
        return true;
    }
    race.check_read(access);
    if (op->detail & kStrong) race.acquire(access);
    u32 undefined_mask = 0;
    for (int l = 0; l < kLanes; ++l) undefined_mask |= undefined_bytes[l];
    if (undefined_mask || w.undefined_bytes) move.mark_loaded_undefined(w, op, undefined_bytes);
    return undefined_mask != 0;
}

namespace {

/// Returns the wavefronts of all machine accesses that correspond to this PTX access.
Wavefronts count_move_wavefronts(const Warp& w, const Op* op, const SharedMove& move,
                                 const u32* addresses) {
    if (!(op->detail & kCountsMachineAccesses)) [[likely]]
        return count_wavefronts(addresses, move.bytes, w.active, move.kind);
    Wavefronts total_wavefronts{.requests = 0};
    for (const MachineAccess& access : machine_accesses(w, op)) {
        if (!access.is_executed_at(addresses[w.first_active()])) continue;
        u32 machine_addresses[kLanes];
        compute_machine_addresses(addresses, access, machine_addresses);
        const Wavefronts access_wavefronts =
            count_wavefronts(machine_addresses, access.bytes, w.active, move.kind);
        ++total_wavefronts.requests;
        total_wavefronts.wavefront_count += access_wavefronts.wavefront_count;
        total_wavefronts.ideal_count += access_wavefronts.ideal_count;
    }
    return total_wavefronts;
}

void notify_listener(const Warp& w, const Op* op, const SharedMove& move, const u32* addresses) {
    const auto notify_access = [&](const MachineAccess& access) {
        u64 offsets[kLanes];
        for (int l = 0; l < kLanes; ++l)
            offsets[l] = addresses[l] + static_cast<u32>(access.byte_offset);
        w.listener->note_access(w, op,
                                {.kind = load_or_store(move.is_store),
                                 .is_shared = true,
                                 .is_matrix_access = move.kind == SharedAccessKind::matrix,
                                 .bytes = access.bytes,
                                 .lanes = w.active,
                                 .addresses = offsets});
    };
    if (!(op->detail & kCountsMachineAccesses))
        return notify_access({.byte_offset = 0, .bytes = move.bytes});
    for (const MachineAccess& access : machine_accesses(w, op))
        if (access.is_executed_at(addresses[w.first_active()])) notify_access(access);
}

/// Reports whether a store changes memory. Watch uses the result to detect progress.
bool changes_memory(const Warp& w, const Op* op, const SharedMove& move, const u32* addresses) {
    for (const int l : LaneRange{w.active}) {
        if (u64{addresses[l]} + move.bytes > w.block->shared_bytes) continue;
        u8 stored[kMaxBytesPerLane];
        move.store_lane(w, op, l, stored);
        if (std::memcmp(w.block->shared + addresses[l], stored, move.bytes) != 0) return true;
    }
    return false;
}

}  // namespace

void compute_shared_addresses(const Warp& w, const Op* op, u32* addresses) {
    if (op->detail & kNarrowAddress) {
        const u32* base = w.lanes<u32>(op->a);
        for (int l = 0; l < kLanes; ++l) addresses[l] = base[l] + static_cast<u32>(op->immediate);
    } else {
        const u64* base = w.lanes<u64>(op->a);
        for (int l = 0; l < kLanes; ++l)
            addresses[l] = static_cast<u32>(base[l] + static_cast<u64>(op->immediate));
    }
}

bool are_addresses_32_bit(const Warp& w, const Op* op) {
    if (op->detail & kNarrowAddress) return true;
    const u64* base = w.lanes<u64>(op->a);
    u64 upper_bits = 0;
    for (int l = 0; l < kLanes; ++l) {
        const u64 active = w.active >> l & 1 ? ~u64{0} : 0;
        upper_bits |= (base[l] + static_cast<u64>(op->immediate)) >> 32 & active;
    }
    return upper_bits == 0;
}

namespace {

/// Counts a strong load if all lanes read the same address. A repeated poll reads the same value
/// from the same address as the poll before it. The warp learns nothing from it, so it moves no
/// data.
[[gnu::noinline]] void count_poll(Warp& w, const Op* op, u32 bytes) {
    constexpr u32 max_bytes = 8;
    const u64 address = full_address(w, op, w.first_active());
    const bool is_one_address = select_lanes(w.active, [&](int l) {
                                    return full_address(w, op, l) == address;
                                }) == w.active;
    // In a cluster, the address may be in the shared memory of another block.
    if (bytes > max_bytes || !is_one_address || !w.block->is_in_own_shared(address, bytes)) return;
    u64 value = 0;
    std::memcpy(&value, w.block->shared + address, bytes);
    const u64 poll = mix_bits(value + mix_bits(address + 1));
    SiteCounters& counters = w.site_counters[op->site];
    ++counters.polls;
    counters.repeated_polls += std::exchange(w.last_poll_hash, poll) == poll;
}

}  // namespace

void count_shared_access(Warp& w, const Op* op, const SharedMove& move, Wavefronts wavefronts) {
    SiteCounters& counters = w.site_counters[op->site];
    if (!move.is_store) {
        counters.bytes_in_flight += wavefronts.requests * w.block->copy_bytes_in_flight;
        if (op->detail & kStrong) [[unlikely]]
            count_poll(w, op, move.bytes);
    }
    counters.add_shared(wavefronts);
}

bool observe_shared_access(Warp& w, const Op* op, const SharedMove& move, const u32* addresses) {
    if (w.has_recorded_enough) return false;
    if (w.listener && w.listener->receives_shared()) notify_listener(w, op, move, addresses);
    Watch& watch = *w.block->watch;
    if (move.is_store && watch.is_on() && changes_memory(w, op, move, addresses))
        watch.note_memory_change();
    return true;
}

bool check_shared_step(Warp& w, const Op* op, const SharedMove& move, const u32* addresses,
                       SharedLedger::Layout* layout) {
    if (!check_addresses(w, op, move)) return false;
    const Wavefronts access_wavefronts = count_move_wavefronts(w, op, move, addresses);
    count_shared_access(w, op, move, access_wavefronts);
    Block& block = *w.block;
    u32 undefined_bytes[kLanes] = {};
    const bool has_undefined =
        block.shared_race && check_shared_access(w, op, move, addresses, undefined_bytes);
    if (!layout) return true;
    *layout = find_layout(addresses, move.bytes, w.active);
    if (block.ledger.mode() != SharedLedger::Mode::recording) return true;
    SharedLedger::Step step{.event_code = op->site,
                            .active = w.active,
                            .wavefronts = static_cast<u16>(access_wavefronts.wavefront_count),
                            .ideal_wavefronts = static_cast<u16>(access_wavefronts.ideal_count),
                            .is_store = move.is_store,
                            .layout = *layout,
                            .requests = static_cast<u8>(access_wavefronts.requests)};
    block.ledger.record(w.index, step, addresses, has_undefined ? undefined_bytes : nullptr);
    return true;
}

}  // namespace coalesce::simulator
