/// \file
/// Copies code and questions into a lesson's Markdown file, for people who read the file itself.
/// The book inserts its own copies.
#pragma once

#include <filesystem>
#include <string>

#include "examiner/course/course.h"

namespace coalesce::lab {

/// Returns the text of a lesson with its copies brought up to date: below each `<!-- snippet: NAME
/// -->` the code between the marks `//! [NAME]`, and below `<!-- questions -->` the questions. A
/// kernel that solves the lesson's exercise is folded, and so are the answers. Throws
/// std::runtime_error if a mark is missing.
std::string with_copies(const std::string& text, const std::filesystem::path& repository,
                        const std::string& lesson, const course::Course& course);

}  // namespace coalesce::lab
