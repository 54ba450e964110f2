/// \file
/// Random numbers for access patterns.
#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/pattern.h"

namespace coalesce::proof {

/// A random number generator that gives the same numbers with every compiler, unlike the
/// distributions of <random>.
class PatternRandom {
public:
    explicit PatternRandom(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next_random() { return mix(state_++); }
    /// Returns a random number from 0 to count - 1.
    int below(int count) {
        return static_cast<int>(next_random() % static_cast<std::uint64_t>(count));
    }
    bool is_one_in(int count) { return below(count) == 0; }
    template <class T, std::size_t N>
    T one_of(const T (&choices)[N]) {
        return choices[below(static_cast<int>(N))];
    }

private:
    std::uint64_t state_;
};

}  // namespace coalesce::proof
