/// \file
/// `learn results`: writes the simulated results to docs/results, and updates the tables in the
/// READMEs.
#pragma once

#include <filesystem>

#include "learn/json_file.h"

namespace coalesce::lab {

using learn::Json;

/// Updates the tables in README.md, in the results page, and in lessons. If `only_checks` is true,
/// changes nothing and only reports which tables are stale. Returns 1 if a check finds stale
/// tables, and otherwise 0.
int update_result_tables(const std::filesystem::path& repository, bool only_checks);

/// The sizes at which `learn bench` measures in addition to the default size. The first variant of
/// each lesson is also predicted at these sizes.
inline constexpr const char* kAdditionalSizes[] = {"4096x4096", "8192x8192", "16384x16384"};

/// Runs every lesson on the simulated GPU again. Writes the counters to simulated.json in `folder`,
/// and the times predicted for an H200 to predicted.json.
int renew_results(const std::filesystem::path& folder);

/// Returns the rows of predicted.json, one for each variant. Each row has only the fields that the
/// tables show.
Json extract_predictions(const Json& results);

}  // namespace coalesce::lab
