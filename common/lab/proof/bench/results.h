/// \file
/// What a benchmark found: as JSON, and as a table.
#pragma once

#include <string>
#include <vector>

#include "harness/device.h"
#include "lab/proof/bench/contest.h"
#include "lab/proof/json_text.h"

namespace coalesce::proof {

/// All that was found at one size.
struct SizeResults {
    Shape shape;
    std::vector<Entry> entries;  ///< in the order of the course, the rivals last
    Json clocks;                 ///< of the GPU while it worked

    /// The rate of cudaMemcpyAsync, the ceiling; 0 when it was not timed.
    double copy_gbps() const;
};

/// The file: "device", "results" (of the largest square size, in the format of `learn run --json`),
/// "other_sizes", and "run", which says how it was measured.
Json to_json(const Device& device, const std::vector<SizeResults>& sizes, const Json& run);

/// GB/s of every variant (rows) at every size (columns), in lines of at most 80 columns.
std::string to_table(const std::vector<SizeResults>& sizes);

/// What was wrong, by step, variant and size; empty when nothing was.
std::string mistakes(const std::vector<SizeResults>& sizes);

}  // namespace coalesce::proof
