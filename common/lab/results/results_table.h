/// \file
/// Formats the results in docs/results as Markdown tables. Counted, predicted and measured values
/// are in adjacent columns.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "examiner/course/course.h"
#include "learn/json_file.h"

namespace coalesce::lab {

using learn::Json;

/// The results in docs/results, grouped by how they were obtained.
struct KnownResults {
    /// counters and predicted times from the simulated GPU; null where there are none
    Json counted = nullptr, predicted = nullptr;
    std::vector<Json> measured;  ///< one run per GPU, in the order of the files
};

/// Reads and checks one file. Throws a std::runtime_error that names the file and its first invalid
/// field.
Json read_checked_run(const std::filesystem::path& file);

/// Reads all *.json files in a folder, except the one from build/bin/shapes. Throws a
/// std::runtime_error that names the file and its first invalid field. If `steps` is not empty,
/// results of any other step are invalid.
KnownResults read_results(const std::filesystem::path& folder,
                          const std::set<std::string>& steps = {});

/// Returns a table for each measured GPU, including rivals. If no GPU was measured, returns a table
/// of counted and predicted values. Only the row of each step's first variant is visible, and the
/// others are folded. `path_to_proof` is the path to docs/guide/proof.md.
std::string format_results_markdown(const KnownResults& known, const std::string& path_to_proof);

/// Returns the table of results that a step's lesson shows, or "" if there are no results.
std::string format_step_results(const std::string& step, const KnownResults& known);

/// Returns a Markdown table with a line for each lesson: the cost and speed of its first kernel,
/// and the name of its fastest kernel. `folder` contains the results of lesson 16, which are stored
/// separately. `root` is the path from the page to the repository's root, such as "../../". If no
/// GPU was measured, the table has only counters.
std::string format_summary_markdown(const course::Course& course, const KnownResults& known,
                                    const std::filesystem::path& folder, const std::string& root);

}  // namespace coalesce::lab
