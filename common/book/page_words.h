// Adapts a lesson's text to the book's pages. Lessons tell readers to type commands in a terminal,
// whereas the pages have buttons and links.
#pragma once

#include <string>

namespace coalesce::book {

/// Replaces the terminal commands in a lesson's text with names of buttons and with links to the
/// explorer. `step` is the lesson's name, such as "03_tiled".
std::string replace_terminal_commands(const std::string& text, const std::string& step);

/// Removes the command that runs the lesson's program, and the command for the lesson's quiz. For
/// lessons whose exercise is a whole program, no other change is needed.
std::string remove_opening_commands(const std::string& text);

}  // namespace coalesce::book
