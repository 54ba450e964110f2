/// \file
/// Splits a solution with marked lines into two versions: the skeleton that the learner starts
/// with, and the solution itself.
///
///     //! [blank]
///     //! // TODO: if (row, col) lies inside `in`, store that element where it belongs in `out`.
///     if (row < rows && col < cols) {
///         out[col * rows + row] = in[row * cols + col];
///     }
///     //! [blank]
///
/// Between two markers, lines with the prefix `//! ` belong to the skeleton, without their prefix.
/// All other lines between markers belong to the solution. Lines outside the markers are in both
/// versions. In a bug hunt the skeleton's lines contain the bug, and the solution's lines fix it.
#pragma once

#include <string>
#include <vector>

#include "base/errors.h"

namespace coalesce::exercises {

/// A part of a marked file: either lines that the skeleton and the solution share, or lines between
/// two markers, where the skeleton and the solution differ.
struct Segment {
    std::vector<std::string> blank_lines;   ///< the skeleton's lines
    std::vector<std::string> solved_lines;  ///< the solution's lines
    bool is_marked = false;                 ///< whether these lines have two versions
    int line = 0;  ///< number of the first of these lines in the marked file
};

/// The skeleton and the solution in a marked file.
struct Skeleton {
    std::vector<Segment> segments;  ///< the segments in order; marked and unmarked ones alternate

    /// Returns the text that the learner starts with.
    std::string blank_text() const;
    /// Returns the solution without its markers.
    std::string solved_text() const;
    /// Returns the number of gaps that the learner must fill in.
    int blank_count() const;
    /// Returns the number of lines of code that the learner must write.
    int lines_to_write() const;
};

/// Parses a marked file. Messages refer to the file as `name`. Throws UsageError if the markers are
/// invalid, for example if a marker has no partner.
Skeleton parse_skeleton(const std::string& marked_text, const std::string& name);

/// Compares a skeleton in the repository with the marked solution from which it was generated.
/// Returns "" if only the lines that a learner writes differ. Otherwise describes the first
/// unexpected difference.
std::string find_unmarked_difference(const std::string& skeleton, const std::string& marked_text);

}  // namespace coalesce::exercises
