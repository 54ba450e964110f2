#include "kernel/source_lines.h"

#include <algorithm>
#include <regex>

namespace coalesce {
namespace {

/// Behind the quoted text that begins at `begin`.
std::size_t end_of_quoted(const std::string& text, std::size_t begin) {
    std::size_t end = begin + 1;
    while (end < text.size() && text[end] != text[begin] && text[end] != '\n') {
        end += text[end] == '\\' ? 2 : 1;
    }
    return std::min(end + 1, text.size());
}

int line_at(const std::string& text, std::size_t place) {
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(place);
    return 1 + static_cast<int>(std::count(text.begin(), end, '\n'));
}

int line_of_match(const std::string& text, const std::string& pattern) {
    const std::string code = code_alone(text);
    std::smatch found;
    if (!std::regex_search(code, found, std::regex(pattern))) return 0;
    return line_at(code, static_cast<std::size_t>(found.position(1)));
}

}  // namespace

std::string code_alone(const std::string& text) {
    std::string code = text;
    for (std::size_t i = 0; i < text.size();) {
        std::size_t end = i + 1;
        if (text.compare(i, 2, "//") == 0) {
            end = std::min(text.find('\n', i), text.size());
        } else if (text.compare(i, 2, "/*") == 0) {
            const std::size_t closing = text.find("*/", i + 2);
            end = closing == text.npos ? text.size() : closing + 2;
        } else if (text[i] == '"' || text[i] == '\'') {
            end = end_of_quoted(text, i);
        } else {
            ++i;
            continue;
        }
        for (; i < end; ++i) {
            if (code[i] != '\n') code[i] = ' ';
        }
    }
    return code;
}

int line_of_configure(const std::string& text) {
    return line_of_match(text, R"(\b(configure)\s*\()");
}

int line_of_kernel(const std::string& text, const std::string& name) {
    const std::string function = name.empty() ? "\\w+" : name;
    return line_of_match(
        text, R"(__global__[^;{}()]*(?:__launch_bounds__\s*\([^)]*\)[^;{}()]*)?\b()" + function +
                  R"()\s*\()");
}

}  // namespace coalesce
