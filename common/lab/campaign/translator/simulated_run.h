// One kernel of a PTX text on the simulated GPU: what it leaves in memory, and what it costs.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "lab/campaign/translator/program.h"
#include "simulator/base/coalesce_simulator.h"

namespace coalesce::random_kernels {

struct Outcome {
    std::string problem;  ///< it was refused, stopped or reported; empty when it was not
    std::vector<unsigned char> memory;
    CoalesceCounters counters{};
    std::map<unsigned, CoalesceCounters> lines;  ///< of the source, that touched memory
};

/// Whether the simulated GPU takes it.
bool loads(const std::string& ptx);
Outcome run(const std::string& ptx, const Kernel& kernel);

/// Empty, or how what two left in memory differs, or why one did not run.
std::string difference(const Outcome& back_end, const Outcome& translated);
/// Empty, or how requests, sectors or wavefronts differ, and in which line of the source first.
/// Instructions may.
std::string other_count(const Outcome& back_end, const Outcome& translated);

}  // namespace coalesce::random_kernels
