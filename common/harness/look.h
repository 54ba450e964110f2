// A bad cell of the output, and what can be concluded from this cell alone.
#pragma once

#include <optional>
#include <string>

#include "harness/problem.h"

namespace coalesce {

/// A bad cell of the output: its position, its expected value, and its actual value.
struct ObservedCell {
    ObservedCell(const Problem& problem, const Pattern& pattern, std::int64_t index,
                 Bits actual_bits, bool is_untouched);

    const Problem& problem;
    const Pattern& pattern;
    std::int64_t index;  ///< index in memory, in elements
    Cell out;            ///< row and column in the output
    /// The cell of the input whose value is expected here. Empty if the cell should stay unwritten.
    std::optional<Cell> expected;
    Bits actual_bits;   ///< the bits that the cell contains
    bool is_untouched;  ///< whether the cell still contains the poison
    /// The cell of the input with the same value, if that cell is known.
    std::optional<Cell> source;

    /// Reports whether the value may come from this cell of the input. The answer is only probable
    /// for elements of 1 or 2 bytes, because several cells may contain the same value.
    bool has_value_of(Cell cell) const;
    /// Reports whether all bytes of the cell are guard bytes. If so, its value was read from
    /// outside the input.
    bool contains_guard_bytes() const;
    /// Reports whether the cell contains a value that is not in the input.
    bool is_not_from_input() const;

    /// Returns a copy whose positions are relative to the cell's own matrix in a batch.
    /// `one_matrix` is the result of `Problem::problem_of_one_matrix`, and must outlive the copy.
    ObservedCell relative_to(const Problem& one_matrix) const;

    /// Returns a phrase such as "out(0,1) holds in(0,1), expected in(1,0)".
    std::string text() const;
};

/// Returns the name of a cell of `matrix`, such as "in(3,4)".
std::string cell_name(const char* matrix, Cell cell);
/// Returns the name of a cell of the output, with one index per axis, such as "out(2,3,4)".
std::string out_name(const Problem& problem, Cell cell);
/// Returns the name of a cell of the input, such as "in(3,4)", or "data(3,4)" in an in-place task.
std::string in_name(const Problem& problem, Cell cell);

}  // namespace coalesce
