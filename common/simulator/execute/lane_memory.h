// Helpers that move values between registers and memory, for the handlers of loads and stores.
#pragma once

#include <type_traits>

#include "simulator/checks/race_log.h"
#include "simulator/execute/warp.h"

namespace coalesce::simulator {

/// The unsigned integer type of an element of `Bytes` bytes in memory.
template <u32 Bytes>
using Element = std::conditional_t<
    Bytes == 8, u64, std::conditional_t<Bytes == 4, u32, std::conditional_t<Bytes == 2, u16, u8>>>;
/// The type of a register lane that contains an element of `Bytes` bytes.
template <u32 Bytes>
using ElementLane = LaneOf<Element<Bytes>>;

inline constexpr u32 kMaxBytesPerLane = 16;

/// The shape of a load or store: the size of an element in bytes, and the number of elements per
/// lane. A load zero-extends each element to the width of a register lane. A signed element is then
/// sign-extended by a separate Op (lower_memory.cpp).
template <u32 Bytes, u32 Count>
struct AccessShape {
    static constexpr u32 kBytes = Bytes, kCount = Count, kTotal = Bytes * Count;
    using Memory = Element<Bytes>;
    using Lane = ElementLane<Bytes>;

    /// load() loads the elements of one lane, and store() stores them.
    static void load(Warp& w, const Op* op, int lane, const u8* from) {
        for (u32 k = 0; k < Count; ++k) {
            Memory value;
            std::memcpy(&value, from + k * Bytes, Bytes);
            w.lanes<Lane>(op->v[k])[lane] = value;
        }
    }
    static void store(const Warp& w, const Op* op, int lane, u8* to) {
        for (u32 k = 0; k < Count; ++k) {
            const auto value = static_cast<Memory>(w.lanes<Lane>(op->v[k])[lane]);
            std::memcpy(to + k * Bytes, &value, Bytes);
        }
    }

    /// load_all() loads the elements of all 32 lanes, which must be contiguous in memory.
    /// store_all() stores them.
    static void load_all(Warp& w, const Op* op, const u8* from) {
        const auto* memory = reinterpret_cast<const Memory*>(from);
        for (u32 k = 0; k < Count; ++k) {
            Lane* lanes = w.lanes<Lane>(op->v[k]);
#pragma GCC ivdep
            for (int l = 0; l < kLanes; ++l) lanes[l] = memory[l * Count + k];
        }
    }
    static void store_all(const Warp& w, const Op* op, u8* to) {
        auto* memory = reinterpret_cast<Memory*>(to);
        const Lane* lanes[Count];
        for (u32 k = 0; k < Count; ++k) lanes[k] = w.lanes<Lane>(op->v[k]);
#pragma GCC ivdep
        for (int l = 0; l < kLanes; ++l)
            for (u32 k = 0; k < Count; ++k)
                memory[l * Count + k] = static_cast<Memory>(lanes[k][l]);
    }
};

/// The values that a store will write. The race checker uses them to determine whether the store
/// changes memory.
struct StoredLanes {
    const Warp* warp;
    const Op* op;
    /// The function AccessShape::store() of the store's shape. It writes the value of one lane to
    /// `to`.
    void (*store_lane)(const Warp& w, const Op* op, int lane, u8* to);
    static void copy(const void* context, int lane, u8* bytes) {
        const auto& self = *static_cast<const StoredLanes*>(context);
        self.store_lane(*self.warp, self.op, lane, bytes);
    }
    StoredValue value() const { return {copy, this}; }
};

/// Stores the elements of one lane if `Store` is true, and otherwise loads them.
template <class Shape, bool Store>
void move_lane(Warp& w, const Op* op, int lane, u8* memory) {
    if constexpr (Store)
        Shape::store(w, op, lane, memory);
    else
        Shape::load(w, op, lane, memory);
}

/// Returns the handler choose<Shape, Store>(), where Shape is the AccessShape with `count` elements
/// of `bytes` bytes. Returns nullptr if there is no such shape.
template <class Choose>
Handler choose_handler_by_shape(u32 bytes, u32 count, bool store, Choose choose) {
    const auto by_store = [&]<class Shape>() -> Handler {
        return store ? choose.template operator()<Shape, true>()
                     : choose.template operator()<Shape, false>();
    };
    const auto by_count = [&]<u32 Bytes>() -> Handler {
        if (count == 1) return by_store.template operator()<AccessShape<Bytes, 1>>();
        if (count == 2) return by_store.template operator()<AccessShape<Bytes, 2>>();
        if constexpr (Bytes <= 4)
            if (count == 4) return by_store.template operator()<AccessShape<Bytes, 4>>();
        return nullptr;
    };
    switch (bytes) {
        case 1: return by_count.template operator()<1>();
        case 2: return by_count.template operator()<2>();
        case 4: return by_count.template operator()<4>();
        case 8: return by_count.template operator()<8>();
        default: return nullptr;
    }
}

}  // namespace coalesce::simulator
