/// \file
/// A picture of an output in the terminal: which cells are right, wrong, or were never written.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "harness/problem.h"

namespace coalesce {

/// What the verifier found in a cell.
enum class CellState : std::uint8_t {
    right,      ///< the bits that belong there
    untouched,  ///< still the poison
    wrong,      ///< anything else
};

/// At most 32 x 32 signs; of a larger output each stands for several cells, and shows the worst.
class CellMap {
public:
    /// Signs in a row, and rows of signs, at most.
    static constexpr int kSide = 32;

    /// An empty picture of an output of that shape. In place, it is of `data`.
    CellMap(std::int64_t out_rows, std::int64_t out_cols, bool is_in_place = false);
    /// Nothing to show.
    CellMap() : CellMap(1, 1) {}

    /// Notes what was found in a cell.
    void note(Cell out, CellState state) {
        CellState& sign = signs_[static_cast<std::size_t>(out.row / cells_down_ * kSide) +
                                 static_cast<std::size_t>(out.col / cells_across_)];
        if (state > sign) sign = state;
    }
    /// Adds what another picture of the same output has.
    void merge(const CellMap& other);
    /// The state that the sign at that row and column shows.
    CellState sign(int row, int col) const {
        return signs_[static_cast<std::size_t>(row * kSide + col)];
    }
    /// Rows and columns of the output.
    std::int64_t out_rows() const { return out_rows_; }
    std::int64_t out_cols() const { return out_cols_; }
    /// Whether the input is the output, so that its picture is of `data`.
    bool is_in_place() const { return is_in_place_; }
    /// Whether all signs are the same.
    bool is_uniform() const;
    /// All signs, row by row, as in the picture: to keep it.
    std::string signs() const;
    /// Takes such signs back; false when they are none of this picture.
    bool take_signs(const std::string& signs);
    /// The picture with its legend: lines of at most 70 columns. It has at most so many rows and
    /// columns of signs, where fewer than there are each show the worst of more cells.
    std::string text(int most_rows = kSide, int most_cols = kSide) const;

private:
    std::string legend(std::int64_t cells_down, std::int64_t cells_across) const;
    CellState worst_of(int row, int col, int down, int across) const;

    std::int64_t out_rows_, out_cols_;
    bool is_in_place_ = false;
    /// Cells that one sign stands for.
    std::int64_t cells_down_, cells_across_;
    std::array<CellState, kSide * kSide> signs_{};
};

}  // namespace coalesce
