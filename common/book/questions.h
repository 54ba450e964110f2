// A lesson's questions as HTML: those that its exercise.toml asks before a kernel is counted, and those of
// its questions.txt, with an answer to each choice. theme/book.js checks them in the page.
#pragma once

#include <string>

#include "contents.h"
#include "examiner/course/course.h"

namespace coalesce::book {

/// "" when the lesson has none.
std::string questions_html(const std::string& step, const Contents& contents,
                           const course::Course& course);

/// For HTML text and attributes; `code` in backquotes becomes an element.
std::string html_of(const std::string& text);

}  // namespace coalesce::book
