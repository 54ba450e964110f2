// Random numbers that are the same on every machine, so that a seed always generates the same
// kernel.
#pragma once

#include <initializer_list>
#include <vector>

#include "lab/campaign/contract.h"

namespace coalesce::campaign {

class Random {
public:
    explicit Random(u64 seed) : generator_state_(hash_bits(seed ^ 0x636f616c65736365)) {}

    u64 next() { return hash_bits(generator_state_ += 0x9e3779b97f4a7c15); }
    u32 below(u32 limit) { return static_cast<u32>((next() >> 32) * limit >> 32); }
    u32 between(u32 min_value, u32 max_value) {
        return min_value + below(max_value - min_value + 1);
    }
    bool percent(u32 percentage) { return below(100) < percentage; }

    template <class T>
    const T& pick(const std::vector<T>& choices) {
        return choices[below(static_cast<u32>(choices.size()))];
    }
    template <class T>
    T pick(std::initializer_list<T> from) {
        return from.begin()[below(static_cast<u32>(from.size()))];
    }

private:
    u64 generator_state_;
};

}  // namespace coalesce::campaign
