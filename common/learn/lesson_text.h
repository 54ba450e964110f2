/// \file
/// Formats a lesson's Markdown for a terminal.
#pragma once

#include <string>

#include "learn/terminal.h"

namespace coalesce::learn {

/// Returns the text in lines of at most 80 columns. Links are replaced with their text, and
/// comments are removed. Unless `shows_answers` is true, folded parts show only their title.
std::string lesson_text(const std::string& markdown, const Style& style, bool shows_answers);

}  // namespace coalesce::learn
