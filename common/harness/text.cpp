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
std::vector<std::string> words_of(const std::string& line) {
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
        const std::string own(std::min(line.find_first_not_of(' '), line.size()), ' ');
        std::string current;
        for (const std::string& word : words_of(line)) {
            const std::size_t width = indent.size() + own.size() + current.size() + 1 + word.size();
            if (!current.empty() && width > kTerminalColumns) {
                result += indent + own + current + "\n";
                current.clear();
            }
            current += (current.empty() ? "" : " ") + word;
        }
        result += indent + own + current + "\n";
    }
    return result;
}

std::string wrap_with_hanging_indent(const std::string& start, const std::string& text) {
    return wrap(text, std::string(start.size(), ' ')).replace(0, start.size(), start);
}

std::string ordinal(std::uint64_t number) {
    const bool is_teen = number / 10 % 10 == 1;
    const std::uint64_t last = is_teen ? 0 : number % 10;
    const char* const ending = last == 1 ? "st" : last == 2 ? "nd" : last == 3 ? "rd" : "th";
    return std::to_string(number) + ending;
}

std::string format(const char* pattern, ...) {
    va_list arguments, again;
    va_start(arguments, pattern);
    va_copy(again, arguments);
    const int length = std::vsnprintf(nullptr, 0, pattern, arguments);
    va_end(arguments);
    std::string result(static_cast<std::size_t>(length) + 1, '\0');
    std::vsnprintf(result.data(), result.size(), pattern, again);
    va_end(again);
    result.pop_back();
    return result;
}

}  // namespace coalesce
