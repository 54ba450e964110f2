/// \file
/// Splits a solution with marked lines into two texts: the skeleton that the learner starts with, and the solution
/// itself.
///
///     //! [blank]
///     //! // TODO: if (row, col) lies inside `in`, store that element where it belongs in `out`.
///     if (row < rows && col < cols) {
///         out[col * rows + row] = in[row * cols + col];
///     }
///     //! [blank]
///
/// Between two markers, lines that begin with `//! ` are only in the skeleton, without that prefix, and the others
/// are only in the solution. All other lines are in both. In a bug hunt the skeleton's lines contain the bug, and the
/// solution's lines fix it.
#pragma once

#include <string>
#include <vector>

#include "base/errors.h"

namespace coalesce::exercises {

/// A run of lines that is in both texts, or has two versions.
struct Piece {
    std::vector<std::string> blank;   ///< the skeleton's lines
    std::vector<std::string> solved;  ///< the solution's lines
    bool is_marked = false;           ///< whether the two versions may differ
    int line = 0;                     ///< line of the marked text where the run begins
};

/// The two texts of a marked solution.
struct Skeleton {
    std::vector<Piece> pieces;  ///< in order; marked and unmarked pieces alternate

    /// Returns the text that the learner starts with.
    std::string blank() const;
    /// Returns the solution without its marks.
    std::string solved() const;
    /// Returns the number of places to fill in.
    int blanks() const;
    /// Returns the number of lines of the solution that the learner writes.
    int lines_to_write() const;
};

/// Parses a marked text. `name` is its file's name for messages. Throws UsageError if a marker has no partner, `//! `
/// is outside markers, nothing is marked, or a marked place lacks a solution or an instruction.
Skeleton skeleton_of(const std::string& marked, const std::string& name);

/// Compares a skeleton in the tree with the marked solution that it comes from. Returns "" if they differ only in
/// marked lines, and there only by lines that solving adds or replaces; otherwise describes the first other line.
std::string unmarked_difference(const std::string& skeleton, const std::string& marked);

}  // namespace coalesce::exercises
