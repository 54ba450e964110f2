// The traffic of a kernel, or of a source line, by type of memory and direction.
#pragma once

#include <vector>

#include "simulator/profile/kernel_table.h"

namespace coalesce::simulator {

inline constexpr u64 kSectorBytes = 32;

/// The traffic to one type of memory in one direction.
struct Traffic {
    const char* name;  ///< the name of the traffic, such as "global loads"
    u64 requests;
    u64 passes;        ///< the number of sectors, or of wavefronts for shared memory
    u64 ideal_passes;  ///< the smallest number of passes that could move the same data
    u64 useful_bytes;  ///< the bytes that lanes requested, for global memory only
};

/// global_traffic returns the types of traffic that are counted in sectors: global memory,
/// textures, surfaces and the shared memory of other blocks. shared_traffic returns those that are
/// counted in wavefronts. Both functions omit types of traffic without requests.
std::vector<Traffic> global_traffic(const Counters& counters);
std::vector<Traffic> shared_traffic(const Counters& counters);

/// Reports whether the traffic takes at least twice the ideal number of passes. Reports highlight
/// such traffic.
bool is_wasteful(const Traffic& traffic);

}  // namespace coalesce::simulator
