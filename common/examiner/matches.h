// Finds all matches of a regular expression in a string, and their lines.
#pragma once

#include <regex>
#include <string>
#include <vector>

#include "examiner/source_lines.h"

namespace coalesce {

/// Returns all matches in order. They refer to the text, which must outlive them.
inline std::vector<std::smatch> find_matches(const std::string& text, const std::regex& pattern) {
    return {std::sregex_iterator(text.begin(), text.end(), pattern), std::sregex_iterator()};
}
std::vector<std::smatch> find_matches(std::string&& text, const std::regex& pattern) = delete;

/// Returns the offset of a match, or of one of its groups.
inline std::size_t match_offset(const std::smatch& match, std::size_t part = 0) {
    return static_cast<std::size_t>(match.position(part));
}
/// Returns the line number of a match, or of one of its groups.
inline int line_of(const std::string& text, const std::smatch& match, std::size_t part = 0) {
    return line_number_at(text, match_offset(match, part));
}
/// Returns the offset just past the end of a match.
inline std::size_t match_end(const std::smatch& match) {
    return match_offset(match) + static_cast<std::size_t>(match.length());
}

}  // namespace coalesce
