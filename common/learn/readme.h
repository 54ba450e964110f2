/// \file
/// The tables of results in README.md, in docs/guide/results.md and in the lessons, between their markers.
#pragma once

#include <filesystem>

namespace coalesce::learn {

/// Rewrites what stands between the markers of README.md, of the page of results, and of the lessons that have
/// them. With
/// `check`, only says what is stale. Returns the exit code: 0, or 1 when the check found something.
int update_readme(const std::filesystem::path& repository, bool check);

}  // namespace coalesce::learn
