/// \file
/// Determines what the terminal supports, and asks questions on it. Colours only repeat what the
/// words say.
#pragma once

#include <string>
#include <vector>

namespace coalesce::learn {

/// The style of the output, which may go to a terminal, a file or a screen reader.
struct Style {
    bool colour = false;            ///< whether words may be coloured
    bool can_clear_screen = false;  ///< whether the screen may be cleared before new output
    int lines = 0;                  ///< number of visible lines; 0 if unknown
    int columns = 80;  ///< width for output side by side: the terminal's, from 80 to 200

    std::string paint_good(const std::string& text) const { return paint(text, "32"); }
    std::string paint_bad(const std::string& text) const { return paint(text, "31"); }
    std::string paint_strong(const std::string& text) const { return paint(text, "1"); }

private:
    std::string paint(const std::string& text, const char* code) const {
        return colour ? "\033[" + std::string(code) + "m" + text + "\033[0m" : text;
    }
};

/// Returns the style for stdout. The style is plain if `is_plain` or TERM=dumb is set, or if stdout
/// is not a terminal. NO_COLOR disables only colours.
Style style_for_stdout(bool is_plain);

/// Returns the number of lines of the terminal on stdout, or 0 if it is unknown. The size can
/// change, so call this function before each output.
int terminal_lines();
int terminal_columns();
/// Returns the value of Style::columns for a terminal of this width.
int usable_columns(int columns);

/// Returns the number of lines that `text` occupies on a terminal. Colour codes take up no space.
size_t height_of(const std::string& text, size_t columns);

/// Splits `text` into pages of at most `lines` terminal lines. A line that is taller than a page
/// gets its own page.
std::vector<std::string> split_into_pages(const std::string& text, size_t columns, size_t lines);

/// Prints a message of the command itself, such as an error, on stderr. Breaks the message into
/// lines only if stderr is a terminal.
void print_message(const std::string& message);

/// Reports whether both stdin and stdout are terminals, so that the command can ask questions.
bool can_ask();

/// Asks a question and stores the trimmed answer in `answer`. Returns false at the end of the
/// input, or if a signal is queued in Signals.
bool ask(const std::string& question, std::string& answer);

}  // namespace coalesce::learn
