// The operations of atomics and reductions (atom, red, redux, sured) on two or three values. The
// types And, Or and Xor also implement the PTX instructions `and`, `or` and `xor`.
#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace coalesce::simulator::combining {

struct Add {
    static auto apply(auto a, auto b, auto...) { return a + b; }
};
/// The smaller of two values. If one value is a NaN, the result is the other value.
struct Minimum {
    template <class T>
    static T apply(T a, T b, auto...) {
        if constexpr (std::is_floating_point_v<T>)
            return a == b ? (std::signbit(a) ? a : b) : std::fmin(a, b);
        else
            return std::min(a, b);
    }
};
struct Maximum {
    template <class T>
    static T apply(T a, T b, auto...) {
        if constexpr (std::is_floating_point_v<T>)
            return a == b ? (std::signbit(a) ? b : a) : std::fmax(a, b);
        else
            return std::max(a, b);
    }
};
struct And {
    static auto apply(auto a, auto b, auto...) { return static_cast<decltype(a)>(a & b); }
};
struct Or {
    static auto apply(auto a, auto b, auto...) { return static_cast<decltype(a)>(a | b); }
};
struct Xor {
    static auto apply(auto a, auto b, auto...) { return static_cast<decltype(a)>(a ^ b); }
};
struct Exchange {
    static auto apply(auto, auto b, auto) { return b; }
};
struct CompareAndSwap {
    static auto apply(auto a, auto b, auto c) { return a == b ? c : a; }
};
/// The operation of atomicInc: adds 1 to the value if it is below the operand, and otherwise sets
/// it to 0.
struct Increment {
    static auto apply(auto a, auto b, auto) { return a >= b ? 0 : a + 1; }
};
/// The operation of atomicDec: sets the value to the operand if it is 0 or above the operand, and
/// otherwise subtracts 1 from it.
struct Decrement {
    static auto apply(auto a, auto b, auto) { return a == 0 || a > b ? b : a - 1; }
};

}  // namespace coalesce::simulator::combining
