// More of what the simulator's libcudart exports, as harness/simulator_abi.h has it: declared anew,
// because nothing includes the simulator. A test compares with its own header.
#pragma once

#include <cstdint>

#include "harness/simulator_abi.h"

namespace coalesce::abi {

struct Line {
    const char* file;
    unsigned line;
    Counters counters;
};

struct Access {
    const char* file;
    unsigned line;
    int shared, store;
    unsigned bytes_per_lane;
    std::uint32_t active;
    std::uint64_t addresses[32];
    unsigned cost, ideal;
};

}  // namespace coalesce::abi
