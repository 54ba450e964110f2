/// \file
/// `learn results`: what docs/results has of the simulated GPU, and the tables in the READMEs that show it.
#pragma once

#include <filesystem>

#include "learn/json_file.h"

namespace coalesce::lab {

using learn::Json;

/// Rewrites what stands between the markers of README.md, of the page of results, and of the lessons that have
/// them. With `check`, only says what is stale. Returns the exit code: 0, or 1 when the check found something.
int update_readme(const std::filesystem::path& repository, bool check);

/// Other sizes that `learn bench` measures. Each lesson's first variant is predicted there too, for a picture over
/// sizes.
inline constexpr const char* kAlsoMeasuredAt[] = {"4096x4096", "8192x8192", "16384x16384"};

/// Runs every lesson on the simulated GPU and writes two files into `folder`: the counts as simulated.json, and the
/// times that follow from them for an H200 as predicted.json. Returns the exit code.
int renew_results(const std::filesystem::path& folder);

/// The rows of predicted.json: for each variant what `learn run --time --json` prints and the tables show.
Json predictions_in(const Json& results);

}  // namespace coalesce::lab
