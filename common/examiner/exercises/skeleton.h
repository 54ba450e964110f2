/// \file
/// A solution with marked lines is two texts: the skeleton that the learner begins with, and the
/// solution itself.
///
///     //! [blank]
///     //! // TODO: if (row, col) lies inside `in`, store that element where it belongs in `out`.
///     if (row < rows && col < cols) {
///         out[col * rows + row] = in[row * cols + col];
///     }
///     //! [blank]
///
/// Between two markers, the lines behind `//! ` stand in the skeleton alone, without that prefix,
/// and the others in the solution alone. Everything else stands in both. In the files of the bug
/// hunts the lines of the skeleton are the bug, and the others fix it.
#pragma once

#include <string>
#include <vector>

#include "base/errors.h"

namespace coalesce::exercises {

/// A run of lines: in both texts, or what one has in the place of the other's.
struct Piece {
    std::vector<std::string> blank;   ///< the skeleton's lines
    std::vector<std::string> solved;  ///< the solution's lines
    bool is_marked = false;           ///< they may differ
    int line = 0;                     ///< of the marked text where it begins
};

/// What a marked solution holds.
struct Skeleton {
    std::vector<Piece> pieces;  ///< in order; marked and unmarked ones take turns

    /// What the learner begins with.
    std::string blank() const;
    /// The solution without its marks.
    std::string solved() const;
    /// How many places there are to fill in.
    int blanks() const;
    /// Lines of the solution that the learner writes.
    int lines_to_write() const;
};

/// Takes a marked text apart; `name` is its file's name for errors. Throws UsageError: a marker
/// without its second, `//! ` outside of markers, nothing marked at all, a place with nothing to
/// write or without a word of what to write.
Skeleton skeleton_of(const std::string& marked, const std::string& name);

/// Compares a skeleton as it stands in the tree with the marked solution it came from, line by
/// line:
/// "" when they differ in marked lines alone, and in these only by what solving adds or replaces;
/// else the first line that is otherwise.
std::string unmarked_difference(const std::string& skeleton, const std::string& marked);

}  // namespace coalesce::exercises
