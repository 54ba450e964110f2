// Implements a warp's accesses to shared memory by ld, st, ldmatrix and stmatrix.
//
// Idea   A warp usually makes the same accesses to shared memory as the corresponding warp of the
//        previous block. The ledger then contains the number of wavefronts, and the addresses are
//        known to be valid and free of races, so only the data must be moved. Any other access is
//        analysed here.
// Shape  A shape is AccessShape (lane_memory.h), or another type with the same functions. Only the
//        code that moves data is instantiated for each shape. All other code uses a SharedMove.
#pragma once

#include "simulator/execute/cluster.h"
#include "simulator/execute/lane_memory.h"
#include "simulator/execute/memory_access.h"
#include "simulator/execute/memory_handlers.h"
#include "simulator/execute/shared_checks.h"
#include "simulator/execute/undefined.h"

namespace coalesce::simulator {

/// The rules for counting a shape's accesses, and the functions that track undefined bytes.
/// Specialized for shapes in which a lane moves bytes of other lanes (matrix_moves.cpp).
template <class Shape>
struct SharedShapeRules {
    static constexpr SharedAccessKind kLoad = SharedAccessKind::load,
                                      kStore = SharedAccessKind::store;
    static bool find_stored_undefined(Warp& w, const Op* op, u32* undefined_bytes) {
        return find_undefined_in_store(w, op, undefined_bytes);
    }
    static void mark_loaded_undefined(Warp& w, const Op* op, const u32* undefined_bytes) {
        note_undefined(w, op, undefined_bytes);
    }
};

/// The properties of a shape, for code that is not instantiated for each shape.
struct SharedMove {
    bool is_store;
    u32 bytes;  ///< the number of bytes per lane
    SharedAccessKind kind;
    void (*store_lane)(const Warp& w, const Op* op, int lane, u8* destination);
    bool (*find_stored_undefined)(Warp& w, const Op* op, u32* undefined_bytes);
    void (*mark_loaded_undefined)(Warp& w, const Op* op, const u32* undefined_bytes);
};
template <class Shape, bool Store>
inline constexpr SharedMove kSharedMoveFor{
    .is_store = Store,
    .bytes = Shape::kTotal,
    .kind = Store ? SharedShapeRules<Shape>::kStore : SharedShapeRules<Shape>::kLoad,
    .store_lane = Shape::store,
    .find_stored_undefined = SharedShapeRules<Shape>::find_stored_undefined,
    .mark_loaded_undefined = SharedShapeRules<Shape>::mark_loaded_undefined,
};

void compute_shared_addresses(const Warp& w, const Op* op, u32* addresses);
/// Reports whether the addresses of the access fit in 32 bits. The ledger can store only such
/// addresses.
bool are_addresses_32_bit(const Warp& w, const Op* op);
void count_shared_access(Warp& w, const Op* op, const SharedMove& move, Wavefronts wavefronts);
/// Passes an access to the listener and to the Watch. Returns false if the listener needs no more
/// accesses. In that case, the caller need not execute the access.
bool observe_shared_access(Warp& w, const Op* op, const SharedMove& move, const u32* addresses);
/// Passes an access to the block's race check. In undefined_bytes[l], stores a mask of the
/// uninitialized bytes that lane l loads or stores, except bytes that were reported as an error.
/// Returns false if there are no such bytes.
bool check_shared_access(Warp& w, const Op* op, const SharedMove& move, const u32* addresses,
                         u32* undefined_bytes);
/// Performs all checks of an access, and counts the access. If an address is invalid, ends the
/// launch and returns false. If `layout` is not null, stores the layout of the addresses in
/// `*layout`, and adds the access to the ledger if the ledger is recording.
bool check_shared_step(Warp& w, const Op* op, const SharedMove& move, const u32* addresses,
                       SharedLedger::Layout* layout);

/// Loads elements for lanes that all have the same address. Each element is read only once.
template <class Shape>
void load_from_one_address(Warp& w, const Op* op, const u8* source) {
    for (u32 k = 0; k < Shape::kCount; ++k) {
        typename Shape::Memory value;
        std::memcpy(&value, source + k * Shape::kBytes, sizeof value);
        w.write<typename Shape::Lane>(op->v[k], [=](int) { return value; });
    }
}

/// Loads elements from arbitrary addresses. Inactive lanes read the same element as the first
/// active lane. The values are first loaded to a local buffer, because the compiler knows that this
/// buffer does not overlap the registers, and can therefore generate gather instructions.
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
        w.write<typename Shape::Lane>(op->v[k], [&](int l) { return values[l]; });
    }
}

template <class Shape, bool Store>
void move_one_by_one(Warp& w, const Op* op, const u32* addresses) {
    for (const int l : LaneRange{w.active})
        move_lane<Shape, Store>(w, op, l, w.block->shared + addresses[l]);
}

/// Copies the data of an access between registers and shared memory. The addresses must have been
/// checked.
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
        if (layout == SharedLedger::Layout::same_address)
            return load_from_one_address<Shape>(w, op, shared + addresses[w.first_active()]);
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
    move_one_by_one<Shape, Store>(w, op, addresses);
}

template <class Shape, bool Store>
[[gnu::noinline]] const Op* access_with_checks(Warp& w, const Op* op, const u32* addresses) {
    SharedLedger::Layout layout;
    if (!check_shared_step(w, op, kSharedMoveFor<Shape, Store>, addresses, &layout)) return nullptr;
    move_lanes<Shape, Store>(w, op, addresses, layout);
    return op + 1;
}

/// If the clean block (an earlier block without errors) made the same access at this step, executes
/// the access without checks and returns true. Otherwise returns false. `addresses` is null if the
/// addresses do not depend on the block. `stored_undefined` contains a mask of the undefined bytes
/// that each lane stores, or is null if there are none.
template <class Shape, bool Store>
bool repeat_clean_step(Warp& w, const Op* op, const u32* addresses, const u32* stored_undefined) {
    SharedLedger& ledger = w.block->ledger;
    const SharedLedger::Step* step =
        ledger.match_next_step(w.index, op->site, w.active, addresses, stored_undefined);
    if (!step) return false;
    count_shared_access(w, op, kSharedMoveFor<Shape, Store>,
                        {step->wavefronts, step->ideal_wavefronts, step->requests});
    move_lanes<Shape, Store>(w, op, ledger.addresses(*step), step->layout);
    if (!Store && (step->undefined_bytes || w.undefined_bytes)) [[unlikely]]
        SharedShapeRules<Shape>::mark_loaded_undefined(w, op, ledger.undefined_bytes(*step));
    return true;
}

/// Executes an access in a cluster. If Own is true, all addresses must be in this block's shared
/// memory. If Own is false, each address may be in the shared memory of any block of the cluster.
template <class Shape, bool Store, bool Own>
const Op* access_in_cluster(Warp& w, const Op* op) {
    ResolvedAddresses resolved;
    if (!begin_cluster_access(w, op, kSharedMoveFor<Shape, Store>, Own, resolved)) return nullptr;
    for (const int l : LaneRange{w.active}) move_lane<Shape, Store>(w, op, l, resolved.host[l]);
    return op + 1;
}

template <class Shape, bool Store>
const Op* access_shared(Warp& w, const Op* op) {
    const bool is_repeatable = (op->detail & kStableAddress) != 0;
    if (is_repeatable && w.block->ledger.mode() == SharedLedger::Mode::comparing &&
        !w.is_shared_observed && !w.undefined_bytes &&
        repeat_clean_step<Shape, Store>(w, op, nullptr, nullptr))
        return op + 1;
    u32 addresses[kLanes];
    compute_shared_addresses(w, op, addresses);
    if (w.is_shared_observed &&
        !observe_shared_access(w, op, kSharedMoveFor<Shape, Store>, addresses)) [[unlikely]]
        return op + 1;
    SharedLedger& ledger = w.block->ledger;
    if (ledger.mode() == SharedLedger::Mode::comparing && !are_addresses_32_bit(w, op)) {
        stop_using_ledger(*w.block);
    } else if (ledger.mode() == SharedLedger::Mode::comparing) {
        u32 undefined_bytes[kLanes];
        const bool has_undefined =
            Store && w.undefined_bytes &&
            SharedShapeRules<Shape>::find_stored_undefined(w, op, undefined_bytes);
        if (repeat_clean_step<Shape, Store>(w, op, is_repeatable ? nullptr : addresses,
                                            has_undefined ? undefined_bytes : nullptr))
            return op + 1;
        stop_using_ledger(*w.block);
    }
    return access_with_checks<Shape, Store>(w, op, addresses);
}

/// Executes an access in plain mode, which treats each lane separately and checks every block.
template <class Shape, bool Store>
const Op* access_in_plain_mode(Warp& w, const Op* op) {
    u32 addresses[kLanes];
    compute_shared_addresses(w, op, addresses);
    if (w.is_shared_observed &&
        !observe_shared_access(w, op, kSharedMoveFor<Shape, Store>, addresses)) [[unlikely]]
        return op + 1;
    if (!check_shared_step(w, op, kSharedMoveFor<Shape, Store>, addresses, nullptr)) return nullptr;
    move_one_by_one<Shape, Store>(w, op, addresses);
    return op + 1;
}

}  // namespace coalesce::simulator
