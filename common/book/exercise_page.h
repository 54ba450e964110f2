// Writes the page of an exercise beyond the transpose, from its records.
#pragma once

#include "contents.h"
#include "examiner/course/course.h"

namespace coalesce::book {

/// Returns the element in which a script shows an exercise's editor, for Doxygen. `words` is HTML
/// for readers without JavaScript.
std::string editor_html(const std::string& exercise, const std::string& words);

/// Returns the page of `exercise` for Doxygen: its kernel, its editor, and what one element is.
std::string exercise_text(const Page& page, const Exercise& exercise, bool with_explorer);

}  // namespace coalesce::book
