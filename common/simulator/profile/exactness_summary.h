// How much of a run was simulated exactly: the last lines of a report, and a field of the JSON.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "simulator/code/kernel.h"

namespace coalesce::simulator {

/// All numbers are warp instructions of launches that came to their end.
struct ExactnessSummary {
    u64 instructions = 0;
    u64 exact = 0;
    std::map<std::string, u64>
        last_bits;  ///< by name: the last bits of their results may differ from a GPU's
    std::map<std::string, u64> values;  ///< ... or the results altogether
    std::map<std::string, u64> no_effect;
    std::vector<std::string> host_functions;  ///< of NVIDIA's libraries, computed on the host
    std::vector<std::string>
        newer_targets;  ///< "sm_100a": what kernels were built for, newer than the device
    std::vector<std::string> checks_off;
    u64 only_counted = 0;  ///< launches that --sample left unchecked
    std::vector<std::string>
        not_covered;  ///< mistakes that no check finds, where the program could make them
};

ExactnessSummary summarize_exactness(const std::vector<const Kernel*>& kernels);

/// One line when everything was exact and checked, else a few. Ends with a newline.
std::string exactness_text(const ExactnessSummary& summary);

}  // namespace coalesce::simulator
