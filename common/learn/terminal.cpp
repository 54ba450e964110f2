#include "learn/terminal.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "base/text.h"
#include "harness/text.h"
#include "learn/raw_terminal.h"

namespace coalesce::learn {
namespace {

bool is_set(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0';
}

winsize terminal_size() {
    winsize size = {};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return {};
    return size;
}

// Waits for a key. Returns false if a signal arrives, or has arrived before the call.
bool wait_for_key() {
    pollfd poll_events[] = {{STDIN_FILENO, POLLIN, 0}, {Signals::descriptor(), POLLIN, 0}};
    return poll(poll_events, 2, -1) > 0 && poll_events[1].revents == 0;
}

size_t count_terminal_lines(const std::string& line, size_t columns) {
    size_t width = 0;
    bool is_in_escape = false;
    for (char c : line) {
        if (c == '\033') is_in_escape = true;
        if (!is_in_escape) ++width;
        if (c == 'm') is_in_escape = false;
    }
    return width <= columns ? 1 : (width + columns - 1) / columns;
}

}  // namespace

Style style_for_stdout(bool is_plain) {
    Style style;
    const char* kind = std::getenv("TERM");
    bool is_dumb = kind == nullptr || *kind == '\0' || std::string_view(kind) == "dumb";
    if (is_plain || is_dumb || !isatty(STDOUT_FILENO)) return style;
    style.can_clear_screen = true;
    style.colour = !is_set("NO_COLOR");
    style.columns = usable_columns(terminal_columns());
    style.lines = std::max(terminal_lines() - 1, 0);  // leaves a line for the shell prompt
    return style;
}

int terminal_lines() {
    return terminal_size().ws_row;
}

int terminal_columns() {
    return terminal_size().ws_col;
}

int usable_columns(int columns) {
    return std::clamp(columns, 80, 200);
}

size_t height_of(const std::string& text, size_t columns) {
    size_t height = 0;
    for (const std::string& line : lines_of(text)) height += count_terminal_lines(line, columns);
    return height;
}

std::vector<std::string> split_into_pages(const std::string& text, size_t columns, size_t lines) {
    std::vector<std::string> pages = {""};
    size_t used_lines = 0;
    for (const std::string& line : lines_of(text)) {
        size_t height = count_terminal_lines(line, columns);
        if (used_lines > 0 && used_lines + height > lines) {
            pages.emplace_back();
            used_lines = 0;
        }
        pages.back() += line + "\n";
        used_lines += height;
    }
    return pages;
}

void print_message(const std::string& message) {
    const std::string line = "learn: " + message + "\n";
    std::cerr << (isatty(STDERR_FILENO) ? wrap(line) : line);
}

bool can_ask() {
    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

bool ask(const std::string& question, std::string& answer) {
    std::cout << question << std::flush;
    answer.clear();
    // Read byte by byte, so that input after this line remains available to the next reader. A
    // signal cancels the prompt.
    for (char c = 0; c != '\n';) {
        if (!wait_for_key() || read(STDIN_FILENO, &c, 1) != 1) {
            std::cout << "\n";
            return false;
        }
        answer += c;
    }
    answer = trimmed(answer);
    return true;
}

}  // namespace coalesce::learn
