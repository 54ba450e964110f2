// Writes a lesson's questions as HTML. Questions about counters are in exercise.toml, and
// multiple-choice questions are in questions.txt. theme/book.js checks the reader's answers on the
// page.
#pragma once

#include <string>

#include "contents.h"
#include "examiner/course/course.h"

namespace coalesce::book {

/// Returns the lesson's questions as HTML, or "" if there are none.
std::string questions_html(const std::string& step, const Contents& contents,
                           const course::Course& course);

/// Returns `text`, escaped for use in HTML text and attributes. Line breaks become blanks.
std::string to_html(const std::string& text);

}  // namespace coalesce::book
