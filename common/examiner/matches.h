// All that a regular expression finds in a text, and on which lines.
#pragma once

#include <regex>
#include <string>
#include <vector>

#include "examiner/source_lines.h"

namespace coalesce {

/// In their order. They point into the text, which must stay.
inline std::vector<std::smatch> matches_of(const std::string& text, const std::regex& pattern) {
    return {std::sregex_iterator(text.begin(), text.end(), pattern), std::sregex_iterator()};
}
std::vector<std::smatch> matches_of(std::string&& text, const std::regex& pattern) = delete;

/// Where a match, or a part of it, begins.
inline std::size_t place_of(const std::smatch& match, std::size_t part = 0) {
    return static_cast<std::size_t>(match.position(part));
}
/// The line of that.
inline int line_of(const std::string& text, const std::smatch& match, std::size_t part = 0) {
    return line_at(text, place_of(match, part));
}
/// Where it ends.
inline std::size_t end_of(const std::smatch& match) {
    return place_of(match) + static_cast<std::size_t>(match.length());
}

}  // namespace coalesce
