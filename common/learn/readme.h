/// \file
/// The tables of results in README.md and in the lessons, written from the JSON files of measured and counted runs.
#pragma once

#include <filesystem>
#include <string>

namespace coalesce::learn {

/// Markdown for all *.json files of a folder: those of real GPUs first. Says so when there are none.
std::string results_in_markdown(const std::filesystem::path& folder);

/// Markdown for the lesson of one step: what real GPUs measured. Empty when nothing was.
std::string measurements_of(const std::string& step, const std::filesystem::path& folder);

/// Rewrites what stands between the markers of README.md, and of the lessons whose steps were
/// measured. With `check`, only says what is stale. Returns the exit code: 0, or 1 when the check
/// found something.
int update_readme(const std::filesystem::path& repository, bool check);

}  // namespace coalesce::learn
