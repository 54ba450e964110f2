// Summarizes which instructions of a run were simulated exactly, and which launches were checked.
// Reports contain this summary, as text and as JSON.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "simulator/code/kernel.h"

namespace coalesce::simulator {

/// Counts of warp instructions in completed launches.
struct ExactnessSummary {
    u64 instructions = 0;
    u64 exact_instructions = 0;
    /// The number of instructions whose results may differ from a GPU's in the last bits, keyed by
    /// instruction name.
    std::map<std::string, u64> last_bit_differences;
    /// The number of instructions whose results may differ completely from a GPU's, keyed by
    /// instruction name.
    std::map<std::string, u64> value_differences;
    std::map<std::string, u64> instructions_without_effect;
    /// The names of the NVIDIA library functions executed on the host.
    std::vector<std::string> host_functions;
    /// The targets, such as "sm_100a", of kernels that were compiled for newer devices than the
    /// simulated one.
    std::vector<std::string> newer_targets;
    std::vector<std::string> disabled_checks;
    /// The number of launches that were not checked because of --sample.
    u64 unchecked_launches = 0;
    /// Descriptions of kinds of mistakes that no check can detect in this program.
    std::vector<std::string> uncovered_features;
};

ExactnessSummary summarize_exactness(const std::vector<const Kernel*>& kernels);

/// Returns the summary as text that ends with a newline: one line if everything was exact and
/// checked, otherwise several lines.
std::string format_exactness(const ExactnessSummary& summary);

}  // namespace coalesce::simulator
