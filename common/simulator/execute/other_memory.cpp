// Implements ld and st for local memory, constant memory and generic addresses.
#include "simulator/execute/access_listener.h"
#include "simulator/execute/lane_memory.h"
#include "simulator/execute/local_memory.h"
#include "simulator/execute/memory_access.h"
#include "simulator/execute/memory_handlers.h"
#include "simulator/execute/undefined.h"

namespace coalesce::simulator {
namespace {

/// Updates the warp's hash of its local memory for Watch. A waiting warp may change its local
/// memory and restore it later, so Watch compares the contents rather than the number of stores.
template <class Shape>
void note_local_store(Warp& w, const Op* op, int lane, const u8* host) {
    u8 shadow_bits[Shape::kTotal];
    Shape::store(w, op, lane, shadow_bits);
    for (u32 k = 0; k < Shape::kTotal; ++k) {
        const u64 local_offset = static_cast<u64>(host + k - w.local_memory);
        w.local_state +=
            mix_bits(local_offset << 8 | shadow_bits[k]) - mix_bits(local_offset << 8 | host[k]);
    }
    if (!w.step_listener) return;
    const u64 address =
        static_cast<u64>(host - w.local_memory) - u64{w.local_bytes} * static_cast<u32>(lane);
    w.step_listener->note_local_store(w, lane, address, Shape::kTotal);
}

/// Loads or stores local memory, constant memory or parameters. Such accesses make no requests to
/// global memory, so only their bounds are checked.
template <class Shape, bool Store, ptx::StateSpace Space>
const Op* access_resolved(Warp& w, const Op* op) {
    const u64* base = w.lanes<u64>(op->a);
    const bool is_tracked = Space == ptx::StateSpace::local && w.local_shadow;
    if (is_tracked && !Store) forget_undefined(w, op);
    for (const int l : LaneRange{w.active}) {
        const u64 address = base[l] + static_cast<u64>(op->immediate);
        u8* host = resolve_address(w, op, address, l, Shape::kTotal, Space, load_or_store(Store));
        if (!host) return nullptr;
        if (Store && w.is_observed) [[unlikely]]
            note_local_store<Shape>(w, op, l, host);
        if (is_tracked && !Store) check_local_load(w, op, l, address, Shape::kTotal);
        if (is_tracked && Store && w.undefined_bytes)
            mark_undefined_stored_in_local(w, op, l, address);
        move_lane<Shape, Store>(w, op, l, host);
    }
    if (Space == ptx::StateSpace::local && w.step_listener) [[unlikely]] {
        LaneOffsets offsets{};
        for (const int l : LaneRange{w.active})
            offsets[l] = static_cast<u32>(base[l] + static_cast<u64>(op->immediate));
        w.step_listener->note_local_access(w, offsets, w.active, Shape::kTotal, Store);
    }
    return op + 1;
}

/// Executes a generic access. Each lane accesses the state space to which its address belongs. Each
/// lane's address within its state space is stored in Op::b, which the lowering has reserved.
template <class Shape, bool Store>
const Op* access_generic(Warp& w, const Op* op) {
    MemoryAccessKind kind{.is_store = Store, .bytes = Shape::kBytes, .count = Shape::kCount};
    kind.is_strong = (op->detail & kStrong) != 0;
    kind.is_plain = w.block->launch->code->is_plain;
    kind.has_clusters = w.block->cluster != nullptr;
    if constexpr (!Store) forget_undefined(w, op);
    Op op_in_one_space = *op;
    op_in_one_space.a = op->b;
    op_in_one_space.immediate = 0;
    u64* addresses = w.lanes<u64>(op->b);
    u64 generic_address[kLanes];
    for (int l = 0; l < kLanes; ++l)
        generic_address[l] = w.lanes<u64>(op->a)[l] + static_cast<u64>(op->immediate);

    const Mask active_lanes = w.active;
    for (Mask remaining_lanes = active_lanes; remaining_lanes;) {
        kind.space = find_space_of_address(generic_address[std::countr_zero(remaining_lanes)]);
        w.active = select_lanes(remaining_lanes, [&](int l) {
            return find_space_of_address(generic_address[l]) == kind.space;
        });
        const bool is_local = kind.space == ptx::StateSpace::local;
        for (const int l : LaneRange{w.active}) {
            if (is_local && !check_local_owner(w, op, generic_address[l], l, Shape::kTotal, Store))
                return nullptr;
            addresses[l] = address_in_space(generic_address[l]);
        }
        remaining_lanes &= ~w.active;
        if (!memory_handler(kind)(w, &op_in_one_space)) return nullptr;
    }
    w.active = active_lanes;
    return op + 1;
}

template <ptx::StateSpace Space>
Handler resolved_handler(const MemoryAccessKind& kind) {
    return choose_handler_by_shape(
        kind.bytes, kind.count, kind.is_store,
        []<class Shape, bool Store>() { return access_resolved<Shape, Store, Space>; });
}

Handler generic_handler(const MemoryAccessKind& kind) {
    return choose_handler_by_shape(
        kind.bytes, kind.count, kind.is_store,
        []<class Shape, bool Store>() { return access_generic<Shape, Store>; });
}

}  // namespace

Handler memory_handler(const MemoryAccessKind& kind) {
    using ptx::StateSpace;
    switch (kind.space) {
        case StateSpace::global: return global_handler(kind);
        case StateSpace::shared: return shared_handler(kind);
        case StateSpace::generic: return generic_handler(kind);
        case StateSpace::local: return resolved_handler<StateSpace::local>(kind);
        case StateSpace::param: return resolved_handler<StateSpace::param>(kind);
        case StateSpace::constant:
            return kind.is_store ? nullptr : resolved_handler<StateSpace::constant>(kind);
    }
    return nullptr;
}

}  // namespace coalesce::simulator
