/// \file
/// Copies code and questions into a lesson's Markdown file, for people who read the file itself.
/// The book does not use these copies.
#pragma once

#include <filesystem>
#include <string>

#include "examiner/course/course.h"

namespace coalesce::lab {

/// Returns the text of a lesson with new copies of the code and the questions. Each copy stands
/// below a mark such as `<!-- snippet: NAME -->` or `<!-- questions -->`. Throws std::runtime_error
/// if a mark is missing.
std::string renew_lesson_copies(const std::string& text, const std::filesystem::path& repository,
                                const std::string& lesson, const course::Course& course);

}  // namespace coalesce::lab
