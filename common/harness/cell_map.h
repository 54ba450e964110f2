/// \file
/// Draws an output in the terminal as a map of correct, wrong and unwritten cells.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "harness/problem.h"

namespace coalesce {

/// The state of a cell, as determined by the verifier.
enum class CellState : std::uint8_t {
    right,      ///< the cell contains the expected bits
    untouched,  ///< the cell was not written and still contains the poison value
    wrong,      ///< the cell contains anything else
};

/// A picture of an output in at most 32 x 32 characters. If the output is larger, each character
/// shows the worst of several cells.
class CellMap {
public:
    /// The maximum number of characters in a row and in a column.
    static constexpr int kSide = 32;

    /// Creates an empty picture of an output with this shape. If `is_in_place` is true, the legend
    /// calls the matrix `data`.
    CellMap(std::int64_t out_rows, std::int64_t out_cols, bool is_in_place = false);
    /// Creates a picture of a single cell.
    CellMap() : CellMap(1, 1) {}

    /// Records the state of a cell.
    void note(Cell out, CellState state) {
        CellState& shown_state = states_[static_cast<std::size_t>(out.row / cells_down_ * kSide) +
                                         static_cast<std::size_t>(out.col / cells_across_)];
        if (state > shown_state) shown_state = state;
    }
    /// Adds the cells that were recorded in another picture of the same output.
    void merge(const CellMap& other);
    /// Returns the state of the worst cell that the character at this row and column covers.
    CellState worst_state_at(int row, int col) const {
        return states_[static_cast<std::size_t>(row * kSide + col)];
    }
    /// The shape of the output.
    std::int64_t out_rows() const { return out_rows_; }
    std::int64_t out_cols() const { return out_cols_; }
    /// Reports whether the transpose is in place, so that the output and the input share memory.
    bool is_in_place() const { return is_in_place_; }
    /// Reports whether the picture is more informative than a sentence: at least two characters
    /// show faults, and the characters vary along both rows and columns.
    bool has_pattern() const;
    /// Reports whether all characters are the same.
    bool is_uniform() const;
    /// Returns the number of characters that show a wrong or unwritten cell.
    int count_faulty_characters() const;
    /// Returns the characters in row-major order, as a string from which restore_states can restore
    /// the picture.
    std::string encode_states() const;
    /// Restores the states from the characters that `encode_states` returned. Returns false if the
    /// characters do not match the size of this picture.
    bool restore_states(const std::string& characters);
    /// Returns the picture and its legend, in lines of at most 70 columns. If the picture is larger
    /// than `max_rows` x `max_cols`, each character shows the worst of several cells.
    std::string text(int max_rows = kSide, int max_cols = kSide) const;

private:
    std::string legend(std::int64_t cells_down, std::int64_t cells_across) const;
    CellState worst_state_in(int row, int col, int row_count, int col_count) const;

    std::int64_t out_rows_, out_cols_;
    bool is_in_place_ = false;
    /// The number of cells that each character covers, vertically and horizontally.
    std::int64_t cells_down_, cells_across_;
    std::array<CellState, kSide * kSide> states_{};
};

}  // namespace coalesce
