/// \file
/// `learn results --again`: what docs/results has of the simulated GPU, made again: what it counts in
/// simulated.json, which times follow from it for an H200 in predicted.json.
#pragma once

#include <filesystem>

#include "learn/json_file.h"

namespace coalesce::learn {

/// Where `learn bench` measures them.
inline constexpr const char* kMeasuredAt = "32768x32768";
/// And at these, for a picture over sizes: each lesson's first variant is predicted there, too.
inline constexpr const char* kAlsoMeasuredAt[] = {"4096x4096", "8192x8192", "16384x16384"};

/// Runs every lesson on the simulated GPU and writes both files into `folder`. Returns the exit code.
int renew_results(const std::filesystem::path& folder);

/// The rows of predicted.json: what `learn run --time --json` has of each variant, without what the
/// tables do not show.
Json predictions_in(const Json& results);

}  // namespace coalesce::learn
