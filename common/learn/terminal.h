/// \file
/// What the terminal may be sent. Colour and movement only ever repeat what the words say.
#pragma once

#include <string>
#include <vector>

namespace coalesce::learn {

/// How to write to a terminal, a file or a screen reader.
struct Style {
    bool colour = false;  ///< words may be coloured
    bool clear = false;   ///< the screen may be cleared to show something new
    int lines = 0;        ///< that are seen at once; 0 where nobody knows
    int columns = 80;     ///< the width of what needs width; 80 unless the terminal has more

    std::string good(const std::string& text) const { return painted(text, "32"); }
    std::string bad(const std::string& text) const { return painted(text, "31"); }
    std::string strong(const std::string& text) const { return painted(text, "1"); }

private:
    std::string painted(const std::string& text, const char* code) const {
        return colour ? "\033[" + std::string(code) + "m" + text + "\033[0m" : text;
    }
};

/// The style for stdout: plain with `plain`, NO_COLOR, TERM=dumb, or when it is no terminal.
Style style_for_stdout(bool plain);

/// The size of the terminal on stdout, as it is now: ask again whenever something is shown, since it
/// changes. 0 where stdout is no terminal, or one that does not say.
int terminal_lines();
int terminal_columns();
/// Style::columns for a terminal so wide.
int usable_columns(int columns);

/// How many lines a text takes on a terminal so wide. What is in colour takes no more than its words.
size_t height_of(const std::string& text, size_t columns);

/// The text in pieces of at most `lines` lines of such a terminal; a line that takes more is one.
std::vector<std::string> pages_of(const std::string& text, size_t columns, size_t lines);

/// Whether a question can be asked: stdin and stdout are a terminal.
bool can_ask();

/// Asks; the answer without blanks around it. False at the end of the input, and when Signals has one.
bool ask(const std::string& question, std::string& answer);

}  // namespace coalesce::learn
