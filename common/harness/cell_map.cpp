#include "harness/cell_map.h"

#include <algorithm>

#include "harness/text.h"

namespace coalesce {
namespace {

std::int64_t pieces(std::int64_t count, std::int64_t size) {
    return (count + size - 1) / size;
}

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

std::string CellMap::text() const {
    constexpr char signs[] = {'.', '?', 'X'};
    std::string text = "out, " + std::to_string(out_rows_) + " x " + std::to_string(out_cols_) +
                       " cells:  . right  X wrong  ? never written\n";
    if (cells_down_ > 1 || cells_across_ > 1) {
        text += "one sign stands for " + std::to_string(cells_down_) + " x " +
                std::to_string(cells_across_) + " cells and shows the worst of them\n";
    }
    for (int row = 0; row < pieces(out_rows_, cells_down_); ++row) {
        for (int col = 0; col < pieces(out_cols_, cells_across_); ++col) {
            if (col > 0) text += ' ';
            text += signs[static_cast<int>(sign(row, col))];
        }
        text += '\n';
    }
    return text;
}

}  // namespace coalesce
