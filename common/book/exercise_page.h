// Generates the page of an exercise that does not belong to a lesson. The content of the page comes
// from the exercise's records.
#pragma once

#include "contents.h"
#include "examiner/course/course.h"

namespace coalesce::book {

/// Returns an empty HTML section, to which a script adds the exercise's editor.
std::string editor_html(const std::string& exercise);

/// Returns the Doxygen page of `exercise`. It shows the kernel, the editor, and the definition of
/// one output element.
std::string exercise_text(const Page& page, const Exercise& exercise, bool has_explorer);

}  // namespace coalesce::book
