// Random numbers that are the same with every compiler and library.
#pragma once

#include <initializer_list>
#include <vector>

#include "base/types.h"

namespace coalesce::sim::campaign {

/// splitmix64. Draw in separate statements, or in braces: C++ leaves the order of arguments open.
class Random {
public:
    explicit Random(u64 seed) : state_(seed) {}

    u64 next() {
        u64 x = state_ += 0x9e3779b97f4a7c15u;
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
        return x ^ (x >> 31);
    }
    u32 below(u32 limit) { return static_cast<u32>((next() >> 32) % limit); }
    int between(int low, int high) {
        return low + static_cast<int>(below(static_cast<u32>(high - low + 1)));
    }
    bool chance(int percent) { return below(100) < static_cast<u32>(percent); }

    template <class T>
    const T& pick(const std::vector<T>& from) {
        return from[below(static_cast<u32>(from.size()))];
    }
    template <class T>
    T pick(std::initializer_list<T> from) {
        return from.begin()[below(static_cast<u32>(from.size()))];
    }

private:
    u64 state_;
};

}  // namespace coalesce::sim::campaign
