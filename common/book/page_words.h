// Adapts a lesson's text to the pages. Lessons are written for readers who have a terminal. On the
// pages, buttons and links replace the terminal's commands.
#pragma once

#include <string>

namespace coalesce::book {

/// Replaces the terminal commands in a lesson's text with names of buttons and with links to the
/// explorer. `step` is the lesson's name, such as "03_tiled".
std::string replace_terminal_commands(const std::string& text, const std::string& step);

/// Returns a lesson's text without the command at its beginning, which runs the lesson's program,
/// and without the command for its quiz. This is enough for a lesson whose exercise is a whole
/// program, because a page cannot run programs.
std::string remove_opening_commands(const std::string& text);

}  // namespace coalesce::book
