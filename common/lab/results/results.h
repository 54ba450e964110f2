/// \file
/// `learn results`: writes the simulated results to docs/results, and updates the tables of all
/// results in the READMEs.
#pragma once

#include <filesystem>

#include "learn/json_file.h"

namespace coalesce::lab {

using learn::Json;

/// Rewrites the text between the markers in README.md, in the results page, and in lessons with
/// markers. If `check` is true, only reports what is stale. Returns the exit code: 0, or 1 if the
/// check found something.
int update_result_tables(const std::filesystem::path& repository, bool check);

/// The sizes at which `learn bench` measures in addition to the default size. Each lesson's first
/// variant is also predicted at these sizes, for the chart of bandwidth by size.
inline constexpr const char* kAlsoMeasuredAt[] = {"4096x4096", "8192x8192", "16384x16384"};

/// Runs every lesson on the simulated GPU and writes two files to `folder`: the counters to
/// simulated.json, and the times predicted for an H200 to predicted.json. Returns the exit code.
int renew_results(const std::filesystem::path& folder);

/// Returns the rows of predicted.json, one for each variant. A row keeps only those fields of
/// `learn run --time --json` that the tables show.
Json extract_predictions(const Json& results);

}  // namespace coalesce::lab
