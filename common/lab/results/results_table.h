/// \file
/// What is known of the lessons' variants, in tables of Markdown: counted, predicted and measured side by
/// side, from the files in docs/results.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "examiner/course/course.h"
#include "learn/json_file.h"

namespace coalesce::lab {

using learn::Json;

/// The runs that docs/results has, by what they tell.
struct KnownResults {
    Json counted = nullptr, predicted = nullptr;  ///< by the simulated GPU; null: there is none
    std::vector<Json> measured;  ///< a run for each GPU, in the order of their files
};

/// Reads one file, checked. Throws std::runtime_error that names the file and its first wrong field.
Json read_run(const std::filesystem::path& file);

/// Reads all *.json of a folder but that of build/bin/shapes. Throws std::runtime_error that names the file
/// and its first wrong field; a step that is none of `steps` is one, unless there are none.
KnownResults read_results(const std::filesystem::path& folder,
                          const std::set<std::string>& steps = {});

/// A table for each GPU that was measured, rivals included; without one, what is counted and predicted. Each
/// step's first variant is its headline, the others are folded away. `proof` is the way to docs/guide/proof.md.
std::string results_in_markdown(const KnownResults& known, const std::string& proof);

/// For the lesson of one step: the same of its variants. Empty when nothing is known.
std::string results_of_step(const std::string& step, const KnownResults& known);

/// A line for each lesson: what its first kernel costs, how fast it is, and which of its kernels is the fastest.
/// As a table of Markdown, with the GPU's name above it. `folder` has what lesson 16 measured;
/// `root` is the way from the page to the repository's root: "" or "../../". Without a GPU that was measured,
/// only what is counted.
std::string summary_in_markdown(const course::Course& course, const KnownResults& known,
                                const std::filesystem::path& folder, const std::string& root);

}  // namespace coalesce::lab
