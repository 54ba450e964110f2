/// \file
/// Exports autograders for platforms on which teachers collect submissions.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "grader/class/manifest.h"

namespace coalesce::grader {

/// Writes a platform's export to `destination`. Throws UsageError if `destination` must be a folder
/// but is a file.
///
/// - "gradescope" is a zip of the course and the teacher's part of the assignment. It contains the
///   key, so students must not get it.
/// - "prairielearn" is a folder for a question: info.json, and tests/ with run.py and the teacher's
///   part of the assignment.
/// - "autolab" is a folder with autograde.tar and autograde-Makefile.
/// - "submitty" is a folder with config.json and custom_validation_code/.
/// - "classroom50" is a folder with the autograder.py that runs in students' repositories. It
///   contains no secrets.
/// - "github" is a workflow for GitHub Actions.
void export_platform(const Assignment& assignment, const std::string& platform,
                     const std::filesystem::path& destination);

/// Returns a file of common/grader/platforms/ in which each @NAME@ is replaced with the value of
/// NAME in `placeholders`. Throws UsageError if the file does not exist, and InfrastructureError if
/// a value is missing.
std::string fill_platform_template(const std::string& file,
                                   const std::map<std::string, std::string>& placeholders);

/// Quotes a string so that a shell treats it as a single word.
std::string quote_for_shell(const std::string& text);

}  // namespace coalesce::grader
