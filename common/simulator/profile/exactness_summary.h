// How much of a run was simulated exactly: the last lines of a report, and a field of the JSON.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "simulator/code/kernel.h"

namespace coalesce::sim {

/// All numbers are warp instructions of completed launches.
struct ExactnessSummary {
    u64 instructions = 0;
    u64 exact = 0;
    std::map<std::string, u64>
        last_bits;  ///< by name: the last bits of their results may differ from a GPU's
    std::map<std::string, u64> values;  ///< by name: their results may be completely different
    std::map<std::string, u64> no_effect;
    /// Functions of NVIDIA's libraries that ran on the host.
    std::vector<std::string> host_functions;
    std::vector<std::string>
        newer_targets;  ///< "sm_100a": what kernels were built for, newer than the device
    std::vector<std::string> checks_off;
    u64 only_counted = 0;  ///< launches that --sample left unchecked
    std::vector<std::string>
        not_covered;  ///< mistakes that no check finds, where the program could make them
};

ExactnessSummary summarize_exactness(const std::vector<const Kernel*>& kernels);

/// Returns one line if everything was exact and checked, and otherwise several. Ends with a
/// newline.
std::string exactness_text(const ExactnessSummary& summary);

}  // namespace coalesce::sim
