// Writes the page of an exercise beyond the transpose, from its records.
#pragma once

#include "contents.h"
#include "examiner/course/course.h"

namespace coalesce::book {

/// Returns the HTML section, for a Doxygen page, that a script fills with an exercise's editor.
std::string editor_html(const std::string& exercise);

/// Returns the Doxygen page of `exercise`: its kernel, its editor, and the definition of one output
/// element.
std::string exercise_text(const Page& page, const Exercise& exercise, bool with_explorer);

}  // namespace coalesce::book
