#include "harness/cell_map.h"

#include <algorithm>

#include "harness/text.h"

namespace coalesce {
namespace {

std::int64_t pieces(std::int64_t count, std::int64_t size) {
    return (count + size - 1) / size;
}

/// By CellState.
constexpr char signs_shown[] = {'.', '?', 'X'};

}  // namespace

CellMap::CellMap(std::int64_t out_rows, std::int64_t out_cols)
    : out_rows_(out_rows),
      out_cols_(out_cols),
      cells_down_(pieces(out_rows, side)),
      cells_across_(pieces(out_cols, side)) {}

void CellMap::merge(const CellMap& other) {
    for (std::size_t i = 0; i < signs_.size(); ++i)
        signs_[i] = std::max(signs_[i], other.signs_[i]);
}

std::string CellMap::signs() const {
    std::string text;
    for (const CellState state : signs_) text += signs_shown[static_cast<int>(state)];
    return text;
}

bool CellMap::take_signs(const std::string& signs) {
    if (signs.size() != signs_.size()) return false;
    for (std::size_t i = 0; i < signs.size(); ++i) {
        const auto* found = std::find(std::begin(signs_shown), std::end(signs_shown), signs[i]);
        if (found == std::end(signs_shown)) return false;
        signs_[i] = static_cast<CellState>(found - signs_shown);
    }
    return true;
}

std::string CellMap::text() const {
    std::string text = "out, " + std::to_string(out_rows_) + " x " + std::to_string(out_cols_) +
                       " cells:  . right  X wrong  ? never written\n";
    if (cells_down_ > 1 || cells_across_ > 1) {
        text += "one sign stands for " + std::to_string(cells_down_) + " x " +
                std::to_string(cells_across_) + " cells and shows the worst of them\n";
    }
    for (int row = 0; row < pieces(out_rows_, cells_down_); ++row) {
        for (int col = 0; col < pieces(out_cols_, cells_across_); ++col) {
            if (col > 0) text += ' ';
            text += signs_shown[static_cast<int>(sign(row, col))];
        }
        text += '\n';
    }
    return text;
}

}  // namespace coalesce
