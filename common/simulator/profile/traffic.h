// The traffic of a kernel, or of a source line, by type of memory and direction.
#pragma once

#include <vector>

#include "simulator/profile/kernel_table.h"

namespace coalesce::simulator {

inline constexpr u64 kSectorBytes = 32;

/// The traffic to one type of memory in one direction.
struct Traffic {
    const char* name;  ///< "global loads"
    u64 requests;
    u64 passes;        ///< sectors, or wavefronts
    u64 ideal;         ///< passes that would have been sufficient
    u64 useful_bytes;  ///< global memory only
};

/// Return the types of traffic that have at least one request.
std::vector<Traffic> global_traffic(const Counters& counters);
std::vector<Traffic> shared_traffic(const Counters& counters);

/// Reports whether an access takes at least twice the ideal number of passes, and so deserves a
/// closer look.
bool is_wasteful(const Traffic& access);

}  // namespace coalesce::simulator
