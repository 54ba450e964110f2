// Adapts a lesson's text to the pages. Lessons are written for readers who have a terminal. On the
// pages, buttons and links replace the terminal's commands.
#pragma once

#include <string>

namespace coalesce::book {

/// Returns a lesson's text in which the terminal's commands are replaced with the names of buttons
/// and with links to the explorer. `step` is the lesson's name: "03_tiled".
std::string replace_terminal_commands(const std::string& text, const std::string& step);

}  // namespace coalesce::book
