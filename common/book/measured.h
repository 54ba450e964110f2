// The measured bandwidths and predicted limits of the lessons' kernels, from docs/results.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "examiner/course/course.h"

namespace coalesce::book {

/// Returns the measurements on an H200, or null if the repository has none.
nlohmann::json read_measurements(const std::filesystem::path& root);

/// Returns the bandwidth of a lesson's main kernel in GB/s, or 0 if it was not measured.
long bandwidth_gbps(const nlohmann::json& measurements, const course::Step& step);

/// Returns what limits a lesson's main kernel, according to the time model: "global", "shared",
/// "registers" or "waiting". These four are also names of classes in the style sheet. Returns "" if
/// there is no prediction for the kernel.
std::string limiting_idea_class(const std::filesystem::path& root, const course::Step& step);

}  // namespace coalesce::book
