/// \file
/// What the terminal can do. Colours only repeat what the words say.
#pragma once

#include <string>
#include <vector>

namespace coalesce::learn {

/// How to write to a terminal, a file or a screen reader.
struct Style {
    bool colour = false;  ///< words may be coloured
    bool clear = false;   ///< whether the screen may be cleared to show something new
    int lines = 0;        ///< lines visible at once; 0 if unknown
    int columns = 80;     ///< for side-by-side output; more than 80 if the terminal is wider

    std::string good(const std::string& text) const { return painted(text, "32"); }
    std::string bad(const std::string& text) const { return painted(text, "31"); }
    std::string strong(const std::string& text) const { return painted(text, "1"); }

private:
    std::string painted(const std::string& text, const char* code) const {
        return colour ? "\033[" + std::string(code) + "m" + text + "\033[0m" : text;
    }
};

/// Returns the style for stdout: plain with `plain`, NO_COLOR or TERM=dumb, and when stdout is not a terminal.
Style style_for_stdout(bool plain);

/// Return the current size of the terminal on stdout, or 0 if stdout is not a terminal or does not report a size. The
/// size can change, so call these again before each output.
int terminal_lines();
int terminal_columns();
/// Returns Style::columns for a terminal of this width.
int usable_columns(int columns);

/// Returns the number of lines that a text takes on a terminal. Colour codes take no space.
size_t height_of(const std::string& text, size_t columns);

/// Splits a text into pieces of at most `lines` terminal lines. A single line that takes more is a piece of its own.
std::vector<std::string> pages_of(const std::string& text, size_t columns, size_t lines);

/// Reports whether stdin and stdout are a terminal, so that the command can ask questions.
bool can_ask();

/// Asks a question and returns the trimmed answer. Returns false at the end of the input, and when a signal is queued
/// in Signals.
bool ask(const std::string& question, std::string& answer);

}  // namespace coalesce::learn
