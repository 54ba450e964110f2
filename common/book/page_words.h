// Adapts a lesson's text to the pages. Lessons tell readers to type commands in a terminal. The
// pages have buttons and links instead.
#pragma once

#include <string>

namespace coalesce::book {

/// Replaces the terminal commands in a lesson's text with names of buttons and with links to the
/// explorer. `step` is the lesson's name, such as "03_tiled".
std::string replace_terminal_commands(const std::string& text, const std::string& step);

/// Removes the command that runs the lesson's program, and the command for its quiz. Lessons whose
/// exercise is a whole program need no other change.
std::string remove_opening_commands(const std::string& text);

}  // namespace coalesce::book
