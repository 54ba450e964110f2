// How a warp loads from and stores to shared memory: for ld and st, and for ldmatrix and stmatrix.
//
// Idea   What a warp does to shared memory is usually what it did in the block before: then the
//        ledger knows the wavefronts, that the addresses are in bounds, and that nothing races, and
//        only the data is left to move. Anything else is analysed here.
// Shape  AccessShape (lane_memory.h), or another with the same functions.
#pragma once

#include "checks/access_report.h"
#include "execute/access_listener.h"
#include "execute/lane_memory.h"
#include "execute/memory_access.h"
#include "execute/memory_handlers.h"
#include "execute/shared_checks.h"
#include "execute/undefined.h"

namespace coalesce::sim {

/// What is counted for an access, and where the bytes that nobody wrote are in registers. Shapes whose lanes
/// move other bytes than their own have this otherwise (matrix_moves.cpp).
template <class Shape>
struct LanesOf {
    static constexpr SharedAccessKind kLoad = SharedAccessKind::load,
                                      kStore = SharedAccessKind::store;
    static bool undefined_stored(const Warp& w, const Op* op, u32* undefined) {
        return undefined_in_store(w, op, undefined);
    }
    static void note_loaded(Warp& w, const Op* op, const u32* undefined) {
        note_undefined(w, op, undefined);
    }
};

template <bool Narrow>
void addresses_of(const Warp& w, const Op* op, u32* addresses) {
    if constexpr (Narrow) {
        const u32* base = w.lanes<u32>(op->a);
        for (int l = 0; l < kLanes; ++l) addresses[l] = base[l] + static_cast<u32>(op->immediate);
    } else {
        const u64* base = w.lanes<u64>(op->a);
        for (int l = 0; l < kLanes; ++l)
            addresses[l] = static_cast<u32>(base[l] + static_cast<u64>(op->immediate));
    }
}

/// Whether the ledger, which knows 32 bits of an address, knows these.
template <bool Narrow>
bool are_known_whole(const Warp& w, const Op* op) {
    if constexpr (Narrow) return true;
    const u64* base = w.lanes<u64>(op->a);
    u64 upper = 0;
    for (int l = 0; l < kLanes; ++l) {
        const u64 active = w.active >> l & 1 ? ~u64{0} : 0;
        upper |= (base[l] + static_cast<u64>(op->immediate)) >> 32 & active;
    }
    return upper == 0;
}

/// One address for all lanes: each element is read once.
template <class Shape>
void load_for_all(Warp& w, const Op* op, const u8* from) {
    for (u32 k = 0; k < Shape::kCount; ++k) {
        typename Shape::Memory value;
        std::memcpy(&value, from + k * Shape::kBytes, sizeof value);
        w.write<typename Shape::Lane>(op->v[k], [=](int) { return Shape::widen(value); });
    }
}

/// Elements from anywhere; lanes that are not active read what the first one reads. Buffered, so that the compiler
/// may gather: memory and registers do not overlap.
template <class Shape>
void gather_lanes(Warp& w, const Op* op, const u32* addresses) {
    const auto* memory = reinterpret_cast<const typename Shape::Memory*>(w.block->shared);
    const u32 first = addresses[w.first_active()];
    for (u32 k = 0; k < Shape::kCount; ++k) {
        typename Shape::Memory values[kLanes];
        for (int l = 0; l < kLanes; ++l) {
            const u32 address = w.active >> l & 1 ? addresses[l] : first;
            values[l] = memory[static_cast<i32>(address / Shape::kBytes + k)];
        }
        w.write<typename Shape::Lane>(op->v[k], [&](int l) { return Shape::widen(values[l]); });
    }
}

/// Copies between registers and shared memory; addresses are known to be good.
template <class Shape, bool Store>
void move_lanes(Warp& w, const Op* op, const u32* addresses, SharedLedger::Layout layout) {
    u8* shared = w.block->shared;
    if (layout == SharedLedger::Layout::contiguous) {
        if constexpr (Store)
            Shape::store_all(w, op, shared + addresses[0]);
        else
            Shape::load_all(w, op, shared + addresses[0]);
        return;
    }
    if constexpr (!Store && requires { typename Shape::Memory; }) {
        if (layout == SharedLedger::Layout::same)
            return load_for_all<Shape>(w, op, shared + addresses[w.first_active()]);
        return gather_lanes<Shape>(w, op, addresses);
    }
    if constexpr (Shape::kTotal == 4 && Shape::kCount == 1) {
        if (w.active == kAllLanes) {
            auto* words = reinterpret_cast<u32*>(shared);
            const u32* lanes = w.lanes<u32>(op->v[0]);
            for (int l = 0; l < kLanes; ++l) words[static_cast<i32>(addresses[l] >> 2)] = lanes[l];
            return;
        }
    }
    for (Mask rest = w.active; rest; rest &= rest - 1) {
        const int l = std::countr_zero(rest);
        if constexpr (Store)
            Shape::store(w, op, l, shared + addresses[l]);
        else
            Shape::load(w, op, l, shared + addresses[l]);
    }
}

template <bool Store>
void count(Warp& w, const Op* op, u32 wavefronts, u32 ideal) {
    SiteCounters& counters = w.counters[op->site];
    if (!Store) counters.bytes_under_way += w.block->copy_bytes_under_way;
    ++counters.shared_requests;
    counters.wavefronts += wavefronts;
    counters.wavefronts_ideal += ideal;
}

/// False when a lane is outside the block's shared memory or misaligned: reported, the launch
/// failed.
template <class Shape, bool Store, bool Narrow>
bool addresses_good(Warp& w, const Op* op, const u32* addresses) {
    const u32 size = w.block->shared_bytes;
    for (Mask rest = w.active; rest; rest &= rest - 1) {
        const int l = std::countr_zero(rest);
        u64 address = addresses[l];
        if constexpr (!Narrow) address = w.lanes<u64>(op->a)[l] + static_cast<u64>(op->immediate);
        // Just below zero is just below 2^64: a sum would start again.
        const bool good =
            address < size && Shape::kTotal <= size - address && address % Shape::kTotal == 0;
        if (!good && !resolve_one(w, op, address, l, Shape::kTotal, ptx::StateSpace::shared,
                                  Store ? Access::store : Access::load))
            return false;
    }
    return true;
}

inline SharedLedger::Layout layout_of(const u32* addresses, u32 bytes, Mask active) {
    const u32 first = addresses[std::countr_zero(active)];
    u32 not_in_a_row = active ^ kAllLanes, not_same = 0;
    for (int l = 0; l < kLanes; ++l) {
        not_in_a_row |= addresses[l] ^ (addresses[0] + static_cast<u32>(l) * bytes);
        not_same |= active >> l & 1 ? addresses[l] ^ first : 0;
    }
    return not_in_a_row == 0 ? SharedLedger::Layout::contiguous
           : not_same == 0   ? SharedLedger::Layout::same
                             : SharedLedger::Layout::scattered;
}

/// `undefined`: of each lane, the bytes that it loads or stores and that nothing has written, although
/// that is no error. False: none.
template <class Shape, bool Store>
bool check(Warp& w, const Op* op, const u32* addresses, u32* undefined) {
    SharedRace& race = *w.block->shared_race;
    const StoredLanes<Shape> lanes{&w, op};
    SharedAccess access{.warp = w.index,
                        .site = op->site,
                        .active = w.active,
                        .addresses = addresses,
                        .bytes_per_lane = Shape::kTotal,
                        .strong = (op->detail & kStrong) != 0,
                        .releases = (op->detail & kReleases) != 0,
                        .value = lanes.value(),
                        .undefined = undefined};
    if constexpr (Store) {
        race.write(access);
        if (!w.undefined || !LanesOf<Shape>::undefined_stored(w, op, undefined)) return false;
        race.mark_unwritten(access, undefined);
        return true;
    }
    race.read(access);
    if (op->detail & kStrong) race.acquire(access);
    u32 any = 0;
    for (int l = 0; l < kLanes; ++l) any |= undefined[l];
    if (any || w.undefined) LanesOf<Shape>::note_loaded(w, op, undefined);
    return any != 0;
}

template <class Shape, bool Store>
Wavefronts count_in_full(Warp& w, const Op* op, const u32* addresses) {
    const Wavefronts waves = count_wavefronts(
        addresses, Shape::kTotal, w.active, Store ? LanesOf<Shape>::kStore : LanesOf<Shape>::kLoad);
    count<Store>(w, op, waves.taken, waves.ideal);
    return waves;
}

template <class Shape, bool Store, bool Narrow>
[[gnu::noinline]] const Op* access_in_full(Warp& w, const Op* op, const u32* addresses) {
    if (!addresses_good<Shape, Store, Narrow>(w, op, addresses)) return nullptr;
    const Wavefronts waves = count_in_full<Shape, Store>(w, op, addresses);
    Block& block = *w.block;
    u32 undefined[kLanes] = {};
    const bool has_undefined =
        block.shared_race && check<Shape, Store>(w, op, addresses, undefined);
    const SharedLedger::Layout layout = layout_of(addresses, Shape::kTotal, w.active);
    if (block.ledger.mode() == SharedLedger::Mode::recording) {
        SharedLedger::Step step{.what = op->site,
                                .active = w.active,
                                .wavefronts = static_cast<u16>(waves.taken),
                                .ideal = static_cast<u16>(waves.ideal),
                                .is_store = Store,
                                .layout = layout};
        block.ledger.record(w.index, step, addresses, has_undefined ? undefined : nullptr);
    }
    move_lanes<Shape, Store>(w, op, addresses, layout);
    return op + 1;
}

/// For Watch: does this store change anything?
template <class Shape>
bool changes_memory(const Warp& w, const Op* op, const u32* addresses) {
    for (Mask rest = w.active; rest; rest &= rest - 1) {
        const int l = std::countr_zero(rest);
        if (u64{addresses[l]} + Shape::kTotal > w.block->shared_bytes) continue;
        u8 stored[Shape::kTotal];
        Shape::store(w, op, l, stored);
        if (std::memcmp(w.block->shared + addresses[l], stored, sizeof stored) != 0) return true;
    }
    return false;
}

template <class Shape, bool Store>
[[gnu::noinline]] void observe(Warp& w, const Op* op, const u32* addresses) {
    if (w.listener && w.listener->hears_shared()) {
        u64 offsets[kLanes];
        for (int l = 0; l < kLanes; ++l) offsets[l] = addresses[l];
        w.listener->note(w, op,
                         {.kind = Store ? HeardAccess::Kind::store : HeardAccess::Kind::load,
                          .shared = true,
                          .of_matrices = LanesOf<Shape>::kLoad == SharedAccessKind::matrix,
                          .bytes = Shape::kTotal,
                          .lanes = w.active,
                          .addresses = offsets});
    }
    Watch& watch = *w.block->watch;
    if (Store && watch.on() && changes_memory<Shape>(w, op, addresses)) watch.memory_changed();
}

/// What the clean block did at this place. `addresses`: nullptr where they cannot differ. False: it did something
/// else.
template <class Shape, bool Store>
bool repeat(Warp& w, const Op* op, const u32* addresses, const u32* stored) {
    SharedLedger& ledger = w.block->ledger;
    const SharedLedger::Step* step = ledger.expect(w.index, op->site, w.active, addresses, stored);
    if (!step) return false;
    count<Store>(w, op, step->wavefronts, step->ideal);
    move_lanes<Shape, Store>(w, op, ledger.addresses(*step), step->layout);
    if (!Store && (step->undefined || w.undefined)) [[unlikely]]
        LanesOf<Shape>::note_loaded(w, op, ledger.undefined(*step));
    return true;
}

template <class Shape, bool Store, bool Narrow>
const Op* access_shared(Warp& w, const Op* op) {
    const bool stable = (op->detail & kStableAddress) != 0;
    if (stable && w.block->ledger.mode() == SharedLedger::Mode::comparing && !w.observed_shared &&
        !w.undefined && repeat<Shape, Store>(w, op, nullptr, nullptr))
        return op + 1;
    u32 addresses[kLanes];
    addresses_of<Narrow>(w, op, addresses);
    if (w.observed_shared) [[unlikely]] {
        if (w.heard_enough) return op + 1;
        observe<Shape, Store>(w, op, addresses);
    }
    SharedLedger& ledger = w.block->ledger;
    if (ledger.mode() == SharedLedger::Mode::comparing && !are_known_whole<Narrow>(w, op)) {
        leave_ledger(*w.block);
    } else if (ledger.mode() == SharedLedger::Mode::comparing) {
        u32 undefined[kLanes];
        const bool has_undefined =
            Store && w.undefined && LanesOf<Shape>::undefined_stored(w, op, undefined);
        if (repeat<Shape, Store>(w, op, stable ? nullptr : addresses,
                                 has_undefined ? undefined : nullptr))
            return op + 1;
        leave_ledger(*w.block);
    }
    return access_in_full<Shape, Store, Narrow>(w, op, addresses);
}

/// Plain mode: nothing is known of the lanes together, nor of other blocks.
template <class Shape, bool Store, bool Narrow>
const Op* access_in_plain_mode(Warp& w, const Op* op) {
    u32 addresses[kLanes];
    addresses_of<Narrow>(w, op, addresses);
    if (w.observed_shared) [[unlikely]] {
        if (w.heard_enough) return op + 1;
        observe<Shape, Store>(w, op, addresses);
    }
    if (!addresses_good<Shape, Store, Narrow>(w, op, addresses)) return nullptr;
    count_in_full<Shape, Store>(w, op, addresses);
    u32 undefined[kLanes] = {};
    if (w.block->shared_race) check<Shape, Store>(w, op, addresses, undefined);
    w.for_each_active<u32>([&](int l) {
        if constexpr (Store)
            Shape::store(w, op, l, w.block->shared + addresses[l]);
        else
            Shape::load(w, op, l, w.block->shared + addresses[l]);
    });
    return op + 1;
}

}  // namespace coalesce::sim
