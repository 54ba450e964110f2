/// \file
/// The results of a benchmark, as JSON and as a table.
#pragma once

#include <string>
#include <vector>

#include "harness/device.h"
#include "lab/proof/bench/contest.h"
#include "lab/proof/json_text.h"

namespace coalesce::proof {

struct SizeResults {
    Shape shape;
    std::vector<VariantResult> entries;  ///< all variants in the course's order, then the rivals
    Json clock_rates;                    ///< the GPU's clock rates while it was working

    /// Returns the bandwidth of cudaMemcpyAsync, which is the upper limit for all variants. Returns
    /// 0 if the copy was not timed.
    double copy_gbps() const;
};

/// Returns the contents of the results file. "results" contains the results of the largest square,
/// and "other_sizes" contains all other results. "run" says how the results were measured.
Json to_json(const Device& device, const std::vector<SizeResults>& sizes, const Json& run);

/// Returns a table of GB/s with a row for each variant and a column for each size.
std::string to_table(const std::vector<SizeResults>& sizes);

/// Lists the wrong outputs by step, variant and size. Returns an empty string if there are none.
std::string list_wrong_outputs(const std::vector<SizeResults>& sizes);

}  // namespace coalesce::proof
