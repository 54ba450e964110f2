#include "base/text.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <sstream>

namespace coalesce {

std::string format_short(double value) {
    char digits[400];
    std::snprintf(digits, sizeof digits, "%.2f", value);
    std::string text = digits;
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
    return text;
}

std::string join_up_to(const std::vector<std::string>& names, std::size_t max_count) {
    if (names.size() <= max_count) return joined(names, ", ");
    const std::vector<std::string> first_names(
        names.begin(), names.begin() + static_cast<std::ptrdiff_t>(max_count));
    return joined(first_names, ", ") + " and " + std::to_string(names.size() - max_count) + " more";
}

bool is_identifier(const std::string& text) {
    const auto is_allowed = [](unsigned char letter) {
        return std::isalnum(letter) != 0 || letter == '_';
    };
    return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) == 0 &&
           std::ranges::all_of(text, is_allowed);
}

std::string trimmed(const std::string& text) {
    const char* const blanks = " \t\r\n";
    const std::size_t begin = text.find_first_not_of(blanks);
    return begin == text.npos ? "" : text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
}

std::string escaped(const std::string& text) {
    std::string result;
    for (const char c : text) {
        const bool is_control = static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n';
        switch (c) {
            case '&': result += "&amp;"; break;
            case '<': result += "&lt;"; break;
            case '>': result += "&gt;"; break;
            default: result += is_control ? ' ' : c;
        }
    }
    return result;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

std::string indented(const std::string& code) {
    std::string result;
    int depth = 0;
    for (const std::string& line : lines_of(code)) {
        if (line.empty()) continue;
        int opened = 0, min_depth = 0;
        for (const char brace : line) {
            opened += (brace == '{') - (brace == '}');
            min_depth = std::min(min_depth, opened);
        }
        const int depth_before = line[0] == '#' ? 0 : std::max(0, depth + min_depth);
        result += std::string(static_cast<std::size_t>(depth_before) * 4, ' ') + line + '\n';
        depth += opened;
    }
    return result;
}

std::size_t occurrences(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
    return count;
}

}  // namespace coalesce
