// Functions that return the offsets and line numbers of a pattern's matches.
#pragma once

#include <cstddef>
#include <string>

#include "examiner/source_lines.h"
#include "examiner/text_pattern.h"

namespace coalesce {

/// Returns the offset of a match, or of one of its groups.
inline std::size_t match_offset(const TextMatch& match, std::size_t group = 0) {
    return match.position(group);
}
/// Returns the line number of a match, or of one of its groups.
inline int line_of_match(const std::string& text, const TextMatch& match, std::size_t group = 0) {
    return line_number_at(text, match_offset(match, group));
}
/// Returns the offset just past the end of a match.
inline std::size_t match_end(const TextMatch& match) {
    return match_offset(match) + match.length();
}

}  // namespace coalesce
