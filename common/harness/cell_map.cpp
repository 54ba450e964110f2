#include "harness/cell_map.h"

#include <algorithm>

#include "harness/text.h"

namespace coalesce {
namespace {

std::int64_t div_ceil(std::int64_t count, std::int64_t size) {
    return (count + size - 1) / size;
}

/// The character for each CellState, in the order of the enumeration.
constexpr char kStateCharacters[] = {'.', '?', 'X'};

}  // namespace

CellMap::CellMap(std::int64_t out_rows, std::int64_t out_cols, bool is_in_place)
    : out_rows_(out_rows),
      out_cols_(out_cols),
      is_in_place_(is_in_place),
      cells_down_(div_ceil(out_rows, kSide)),
      cells_across_(div_ceil(out_cols, kSide)) {}

void CellMap::merge(const CellMap& other) {
    for (std::size_t i = 0; i < states_.size(); ++i)
        states_[i] = std::max(states_[i], other.states_[i]);
}

std::string CellMap::encode_states() const {
    std::string text;
    for (const CellState state : states_) text += kStateCharacters[static_cast<int>(state)];
    return text;
}

bool CellMap::restore_states(const std::string& characters) {
    if (characters.size() != states_.size()) return false;
    for (std::size_t i = 0; i < characters.size(); ++i) {
        const auto* state_character =
            std::find(std::begin(kStateCharacters), std::end(kStateCharacters), characters[i]);
        if (state_character == std::end(kStateCharacters)) return false;
        states_[i] = static_cast<CellState>(state_character - kStateCharacters);
    }
    return true;
}

bool CellMap::is_uniform() const {
    for (int row = 0; row < div_ceil(out_rows_, cells_down_); ++row) {
        for (int col = 0; col < div_ceil(out_cols_, cells_across_); ++col) {
            if (worst_state_at(row, col) != worst_state_at(0, 0)) return false;
        }
    }
    return true;
}

int CellMap::count_faulty_characters() const {
    return static_cast<int>(std::count_if(
        states_.begin(), states_.end(), [](CellState state) { return state != CellState::right; }));
}

bool CellMap::has_pattern() const {
    bool rows_differ = false, cols_differ = false;
    for (int row = 0; row < div_ceil(out_rows_, cells_down_); ++row) {
        for (int col = 0; col < div_ceil(out_cols_, cells_across_); ++col) {
            rows_differ |= worst_state_at(row, col) != worst_state_at(0, col);
            cols_differ |= worst_state_at(row, col) != worst_state_at(row, 0);
        }
    }
    return rows_differ && cols_differ && count_faulty_characters() > 1;
}

std::string CellMap::legend(std::int64_t cells_down, std::int64_t cells_across) const {
    std::string text = is_in_place_ ? "data, " : "out, ";
    text += std::to_string(out_rows_) + " x " + std::to_string(out_cols_) +
            " cells:  . right  X wrong  ? " + (is_in_place_ ? "unchanged" : "never written") + "\n";
    if (cells_down > 1 || cells_across > 1) {
        text += "each character stands for " + std::to_string(cells_down) + " x " +
                std::to_string(cells_across) + " cells and shows the worst cell\n";
    }
    return text;
}

CellState CellMap::worst_state_in(int row, int col, int row_count, int col_count) const {
    CellState worst_state = CellState::right;
    for (int i = row; i < std::min(row + row_count, kSide); ++i) {
        for (int j = col; j < std::min(col + col_count, kSide); ++j) {
            worst_state = std::max(worst_state, worst_state_at(i, j));
        }
    }
    return worst_state;
}

std::string CellMap::text(int max_rows, int max_cols) const {
    const int rows = static_cast<int>(div_ceil(out_rows_, cells_down_));
    const int cols = static_cast<int>(div_ceil(out_cols_, cells_across_));
    // The numbers of rows and of columns of cells that one character represents.
    const int rows_per_character = static_cast<int>(div_ceil(rows, std::clamp(max_rows, 1, kSide)));
    const int cols_per_character = static_cast<int>(div_ceil(cols, std::clamp(max_cols, 1, kSide)));
    std::string text = legend(cells_down_ * rows_per_character, cells_across_ * cols_per_character);
    for (int row = 0; row < rows; row += rows_per_character) {
        for (int col = 0; col < cols; col += cols_per_character) {
            if (col > 0) text += ' ';
            text += kStateCharacters[static_cast<int>(
                worst_state_in(row, col, rows_per_character, cols_per_character))];
        }
        text += '\n';
    }
    return text;
}

}  // namespace coalesce
