/// \file
/// Texts that may be longer than the screen.
#pragma once

#include <string>
#include <vector>

namespace coalesce::learn {

/// How many lines a text takes on a terminal so wide. What is in colour takes no more than its words.
size_t height_of(const std::string& text, size_t columns);

/// The text in pieces of at most `lines` lines of such a terminal; a line that takes more is one.
std::vector<std::string> pages_of(const std::string& text, size_t columns, size_t lines);

}  // namespace coalesce::learn
