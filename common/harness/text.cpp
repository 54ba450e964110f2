#include "harness/text.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

namespace coalesce {
namespace {

/// Splits a line into words. A % sign stays with the number before it.
std::vector<std::string> split_into_words(const std::string& line) {
    std::istringstream stream(line);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) {
        if (word.front() == '%' && !words.empty()) {
            words.back() += " " + word;
        } else {
            words.push_back(word);
        }
    }
    return words;
}

}  // namespace

std::string wrap(const std::string& text, const std::string& indent) {
    std::istringstream lines(text);
    std::string result, line;
    while (std::getline(lines, line)) {
        if (indent.size() + line.size() <= kTerminalColumns) {
            result += (line.empty() ? "" : indent + line) + "\n";
            continue;
        }
        // Each part of a broken line gets the indentation of the original line.
        const std::string line_indent(std::min(line.find_first_not_of(' '), line.size()), ' ');
        std::string current_line;
        for (const std::string& word : split_into_words(line)) {
            const std::size_t width =
                indent.size() + line_indent.size() + current_line.size() + 1 + word.size();
            if (!current_line.empty() && width > kTerminalColumns) {
                result += indent + line_indent + current_line + "\n";
                current_line.clear();
            }
            current_line += (current_line.empty() ? "" : " ") + word;
        }
        result += indent + line_indent + current_line + "\n";
    }
    return result;
}

std::string wrap_with_hanging_indent(const std::string& heading, const std::string& text) {
    return wrap(text, std::string(heading.size(), ' ')).replace(0, heading.size(), heading);
}

std::string ordinal(std::uint64_t number) {
    const bool is_teen = number / 10 % 10 == 1;
    const std::uint64_t last_digit = is_teen ? 0 : number % 10;
    const char* const ending = last_digit == 1   ? "st"
                               : last_digit == 2 ? "nd"
                               : last_digit == 3 ? "rd"
                                                 : "th";
    return std::to_string(number) + ending;
}

std::string format(const char* pattern, ...) {
    va_list arguments, arguments_copy;
    va_start(arguments, pattern);
    va_copy(arguments_copy, arguments);
    const int length = std::vsnprintf(nullptr, 0, pattern, arguments);
    va_end(arguments);
    std::string result(static_cast<std::size_t>(length) + 1, '\0');
    std::vsnprintf(result.data(), result.size(), pattern, arguments_copy);
    va_end(arguments_copy);
    result.pop_back();
    return result;
}

}  // namespace coalesce
