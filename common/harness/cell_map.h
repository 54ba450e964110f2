/// \file
/// Draws an output in the terminal, and shows which cells are right, wrong, or were never written.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "harness/problem.h"

namespace coalesce {

/// What the verifier found in a cell.
enum class CellState : std::uint8_t {
    right,      ///< the expected bits
    untouched,  ///< still the poison
    wrong,      ///< anything else
};

/// A picture of at most 32 x 32 characters. If the output is larger, a character stands for several
/// cells and shows the worst of them.
class CellMap {
public:
    /// The largest number of characters per row, and of rows.
    static constexpr int kSide = 32;

    /// Creates an empty picture of an output with this shape. If `is_in_place`, the legend calls
    /// the matrix `data`.
    CellMap(std::int64_t out_rows, std::int64_t out_cols, bool is_in_place = false);
    /// Creates a picture with nothing in it.
    CellMap() : CellMap(1, 1) {}

    /// Records the state of a cell.
    void note(Cell out, CellState state) {
        CellState& sign = signs_[static_cast<std::size_t>(out.row / cells_down_ * kSide) +
                                 static_cast<std::size_t>(out.col / cells_across_)];
        if (state > sign) sign = state;
    }
    /// Merges the cells that another picture of the same output recorded.
    void merge(const CellMap& other);
    /// Returns the state that the character in this row and column shows.
    CellState sign(int row, int col) const {
        return signs_[static_cast<std::size_t>(row * kSide + col)];
    }
    /// The shape of the output.
    std::int64_t out_rows() const { return out_rows_; }
    std::int64_t out_cols() const { return out_cols_; }
    /// Reports whether the output is the input's own memory.
    bool is_in_place() const { return is_in_place_; }
    /// Reports whether all characters are the same.
    bool is_uniform() const;
    /// Returns all characters row by row, so that a caller can store the picture.
    std::string signs() const;
    /// Restores a stored picture. Returns false if the characters do not fit this picture.
    bool take_signs(const std::string& signs);
    /// Returns the picture with its legend, in lines of at most 70 columns. If it has more rows or
    /// columns than allowed, several cells are combined and the worst of them is shown.
    std::string text(int most_rows = kSide, int most_cols = kSide) const;

private:
    std::string legend(std::int64_t cells_down, std::int64_t cells_across) const;
    CellState worst_of(int row, int col, int down, int across) const;

    std::int64_t out_rows_, out_cols_;
    bool is_in_place_ = false;
    /// The number of cells that one character stands for.
    std::int64_t cells_down_, cells_across_;
    std::array<CellState, kSide * kSide> signs_{};
};

}  // namespace coalesce
