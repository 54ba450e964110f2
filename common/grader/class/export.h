/// \file
/// Autograders for platforms where teachers collect submissions, ready to be uploaded.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "grader/class/manifest.h"

namespace coalesce::grader {

/// Writes one: "gradescope" is a zip with the course and the teacher's part of the assignment, key
/// included: students must not get at it. "classroom50" is a folder with the autograder.py that is
/// started there, in students' repositories: it has no secret of the assignment. "github" is a workflow for GitHub Actions. Throws UsageError.
void export_platform(const Assignment& assignment, const std::string& platform,
                     const std::filesystem::path& to);

/// A file of common/grader/platforms/, where each @NAME@ is replaced by `words`' NAME. Throws UsageError when it is not
/// there, and Infrastructure when a word is missing.
std::string platform_file(const std::string& file, const std::map<std::string, std::string>& words);

/// A word for a shell, whatever is in it.
std::string shell_word(const std::string& text);

}  // namespace coalesce::grader
