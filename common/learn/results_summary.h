/// \file
/// A line for each lesson: what its first kernel costs, how fast it is, and which of its kernels is the fastest.
#pragma once

#include <filesystem>
#include <string>

#include "course/course.h"
#include "learn/results_table.h"

namespace coalesce::learn {

/// As a table of Markdown, with the GPU's name above it. `folder` has what lesson 16 measured;
/// `root` is the way from the page to the repository's root: "" or "../../". Without a GPU that was measured,
/// only what is counted.
std::string summary_in_markdown(const course::Course& course, const KnownResults& known,
                                const std::filesystem::path& folder, const std::string& root);

}  // namespace coalesce::learn
