// One bad cell, with everything that can be said of it by itself.
#pragma once

#include <optional>
#include <string>

#include "harness/problem.h"

namespace coalesce {

/// A bad cell of the output: where it is, what belongs there, what it holds.
struct Look {
    Look(const Problem& problem, const Pattern& pattern, std::int64_t index, Bits held,
         bool is_untouched);

    const Problem& problem;
    const Pattern& pattern;
    std::int64_t index;  ///< its place in memory, counted in elements
    Cell out;            ///< the same as row and column
    std::optional<Cell>
        expected;                ///< the input's cell that belongs there; none: it stays untouched
    Bits held;                   ///< what it holds
    bool is_untouched;           ///< it still holds the poison
    std::optional<Cell> source;  ///< the input's cell that holds the same, as far as that is known

    /// Whether what it holds may come from that cell of the input. Elements of one or two bytes are
    /// not unique: there it is only likely.
    bool came_from(Cell cell) const;
    /// It holds the bytes of the guard bands.
    bool holds_guard() const;
    /// It holds nothing that the input has.
    bool is_foreign() const;

    /// The same look at the one matrix of a batch that the cell is in; at the whole otherwise.
    /// `one_matrix` is what `Problem::of_one_matrix` gives, and must outlive the look.
    Look within(const Problem& one_matrix) const;

    /// "out(0,1) holds in(0,1), expected in(1,0)"
    std::string text() const;
};

/// "in(3,4)"
std::string cell_name(const char* matrix, Cell cell);
/// The cell of the output, with all the indices that it has: "out(2,3,4)".
std::string out_name(const Problem& problem, Cell cell);
/// The cell of the input; of a task in place what "data(3,4)" was.
std::string in_name(const Problem& problem, Cell cell);

}  // namespace coalesce
