// One bad cell, and what can be concluded from it alone.
#pragma once

#include <optional>
#include <string>

#include "harness/problem.h"

namespace coalesce {

/// A bad cell of the output: its position, what it should hold, and what it holds.
struct Look {
    Look(const Problem& problem, const Pattern& pattern, std::int64_t index, Bits held,
         bool is_untouched);

    const Problem& problem;
    const Pattern& pattern;
    std::int64_t index;  ///< its position in memory, in elements
    Cell out;            ///< its row and column
    /// The cell of the input that belongs here; none if the cell should stay untouched.
    std::optional<Cell> expected;
    Bits held;          ///< the bits that it holds
    bool is_untouched;  ///< whether it still holds the poison
    /// The cell of the input that holds the same value, if it is known.
    std::optional<Cell> source;

    /// Reports whether the value may come from this cell of the input. Elements of one or two bytes
    /// are not unique, so for them this is only likely.
    bool came_from(Cell cell) const;
    /// Reports whether the cell holds the bytes of the guard bands.
    bool holds_guard() const;
    /// Reports whether the cell holds a value that the input does not contain.
    bool is_foreign() const;

    /// For a batch, returns this look with positions relative to the matrix that contains the cell.
    /// Otherwise returns it unchanged. `one_matrix` is the result of `Problem::of_one_matrix`, and
    /// must outlive the returned look.
    Look within(const Problem& one_matrix) const;

    /// Returns "out(0,1) holds in(0,1), expected in(1,0)", for example.
    std::string text() const;
};

/// Returns "in(3,4)", for example.
std::string cell_name(const char* matrix, Cell cell);
/// Returns the name of a cell of the output, with one index per axis: "out(2,3,4)".
std::string out_name(const Problem& problem, Cell cell);
/// Returns the name of a cell of the input. For an in-place task, this is "data(3,4)".
std::string in_name(const Problem& problem, Cell cell);

}  // namespace coalesce
