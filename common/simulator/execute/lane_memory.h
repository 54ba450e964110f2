// Moving values between registers and memory, for all handlers of loads and stores.
#pragma once

#include <type_traits>

#include "checks/race_log.h"
#include "execute/warp.h"

namespace coalesce::sim {

/// What an element of `Bytes` bytes is in memory, and the register lane that holds it.
template <u32 Bytes>
using Element = std::conditional_t<
    Bytes == 8, u64, std::conditional_t<Bytes == 4, u32, std::conditional_t<Bytes == 2, u16, u8>>>;
template <u32 Bytes>
using ElementLane = LaneOf<Element<Bytes>>;

/// The shape of a load or store: `Count` elements of `Bytes` bytes each. Loads of s8 and s16 extend
/// the sign to the lane's 32 bits; all others fill with zeros.
template <u32 Bytes, u32 Count, bool Signed>
struct AccessShape {
    static constexpr u32 kBytes = Bytes, kCount = Count, kTotal = Bytes * Count;
    static constexpr bool kSigned = Signed;
    using Memory = Element<Bytes>;
    using Lane = ElementLane<Bytes>;

    static Lane widen(Memory value) {
        if constexpr (Signed && Bytes == 1)
            return static_cast<u32>(static_cast<i32>(static_cast<i8>(value)));
        else if constexpr (Signed && Bytes == 2)
            return static_cast<u32>(static_cast<i32>(static_cast<i16>(value)));
        else
            return value;
    }

    /// One lane's elements.
    static void load(Warp& w, const Op* op, int lane, const u8* from) {
        for (u32 k = 0; k < Count; ++k) {
            Memory value;
            std::memcpy(&value, from + k * Bytes, Bytes);
            w.lanes<Lane>(op->v[k])[lane] = widen(value);
        }
    }
    static void store(const Warp& w, const Op* op, int lane, u8* to) {
        for (u32 k = 0; k < Count; ++k) {
            const auto value = static_cast<Memory>(w.lanes<Lane>(op->v[k])[lane]);
            std::memcpy(to + k * Bytes, &value, Bytes);
        }
    }

    /// All 32 lanes, whose elements follow each other in memory.
    static void load_all(Warp& w, const Op* op, const u8* from) {
        const auto* memory = reinterpret_cast<const Memory*>(from);
        for (u32 k = 0; k < Count; ++k) {
            Lane* lanes = w.lanes<Lane>(op->v[k]);
#pragma GCC ivdep
            for (int l = 0; l < kLanes; ++l) lanes[l] = widen(memory[l * Count + k]);
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

/// What a store is about to write, for the race checker's question whether it changes anything.
template <class Shape>
struct StoredLanes {
    const Warp* warp;
    const Op* op;
    static void copy(const void* context, int lane, u8* bytes) {
        const auto& self = *static_cast<const StoredLanes*>(context);
        Shape::store(*self.warp, self.op, lane, bytes);
    }
    StoredValue value() const { return {copy, this}; }
};

/// Calls `f` with the AccessShape for these sizes; false when there is no such access.
template <class F>
bool with_shape(u32 bytes, u32 count, bool is_signed, F f) {
    const auto by_count = [&]<u32 Bytes, bool Signed>() {
        switch (count) {
            case 1: f.template operator()<AccessShape<Bytes, 1, Signed>>(); return true;
            case 2: f.template operator()<AccessShape<Bytes, 2, Signed>>(); return true;
            case 4: f.template operator()<AccessShape<Bytes, 4, Signed>>(); return true;
        }
        return false;
    };
    if (bytes * count > 16) return false;
    switch (bytes) {
        case 1:
            return is_signed ? by_count.template operator()<1, true>()
                             : by_count.template operator()<1, false>();
        case 2:
            return is_signed ? by_count.template operator()<2, true>()
                             : by_count.template operator()<2, false>();
        case 4: return by_count.template operator()<4, false>();
        case 8: return by_count.template operator()<8, false>();
    }
    return false;
}

}  // namespace coalesce::sim
