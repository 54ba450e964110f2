#include "harness/hypotheses.h"

namespace coalesce {
namespace {

// ---- whole matrix ----

bool holds_copy(const Look& look) {
    return look.came_from(look.out) || look.came_from(look.problem.in_cell(look.index));
}

bool copied(const Look& look, int) {
    const Problem& problem = look.problem;
    if (problem.is_permuted()) return look.came_from(problem.in_cell(look.index));
    return problem.produces.kind == Produces::transpose && holds_copy(look);
}

bool transposed(const Look& look, int) {
    const Problem& problem = look.problem;
    if (problem.is_turned() || problem.is_permuted()) return false;
    return look.came_from({look.out.col, look.out.row}) ||
           look.came_from({look.index % problem.rows, look.index / problem.rows});
}

/// out[a * wrong + b] instead of out[a * right + b]: several cells may meet at one place.
bool stored_with_pitch(const Look& look, std::int64_t pitch) {
    constexpr int most_tries = 64;
    const bool turned = look.problem.is_turned();
    const std::int64_t length = look.problem.out_cols();
    std::int64_t a = look.index / pitch;
    for (int tries = 0; a >= 0 && tries < most_tries; --a, ++tries) {
        const std::int64_t b = look.index - a * pitch;
        if (b >= length) return false;
        if (look.came_from(turned ? Cell{b, a} : Cell{a, b})) return true;
    }
    return false;
}

bool exchanged_pitch(const Look& look, int) {
    const Problem& problem = look.problem;
    if (problem.rows == problem.cols || !look.expected || problem.is_permuted()) return false;
    // The rules for indices know more, where values name their place.
    if (look.pattern.names_its_place()) return false;
    // Reading in[row * rows + col] ...
    const std::int64_t read = look.expected->row * problem.rows + look.expected->col;
    if (read < problem.elements() && look.came_from(problem.in_cell(read))) return true;
    // ... or writing with the input's pitch into the output.
    const std::int64_t wrong = problem.is_turned() ? problem.cols : problem.rows;
    return stored_with_pitch(look, wrong);
}

bool turned_around(const Look& look, int) {
    if (!look.expected) return false;
    const Cell right = *look.expected;
    const std::int64_t row = look.problem.rows - 1 - right.row;
    const std::int64_t col = look.problem.cols - 1 - right.col;
    return look.came_from({row, right.col}) || look.came_from({right.row, col}) ||
           look.came_from({row, col});
}

bool row_away(const Look& look, int step) {
    return look.expected && look.came_from({look.expected->row + step, look.expected->col});
}

bool col_away(const Look& look, int step) {
    return look.expected && look.came_from({look.expected->row, look.expected->col + step});
}

// ---- tiles ----

bool transposed_in_place(const Look& look, int tile) {
    const auto [row, col] = look.out;
    switch (look.problem.produces.kind) {
        case Produces::transpose:
            return look.came_from({row / tile * tile + col % tile, col / tile * tile + row % tile});
        case Produces::moved_tiles: return tile == look.problem.produces.tile && holds_copy(look);
        default: return false;
    }
}

bool moved_untransposed(const Look& look, int tile) {
    const auto [row, col] = look.out;
    switch (look.problem.produces.kind) {
        case Produces::transpose:
            return look.came_from({col / tile * tile + row % tile, row / tile * tile + col % tile});
        case Produces::transposed_tiles:
            return tile == look.problem.produces.tile && look.came_from(look.out);
        default: return false;
    }
}

bool of_first_tile(const Look& look, int tile) {
    if (!look.expected) return false;
    return look.came_from({look.expected->row % tile, look.expected->col % tile});
}

bool of_first_row(const Look& look, int) {
    return look.expected && look.came_from({0, look.expected->col});
}

bool of_first_col(const Look& look, int) {
    return look.expected && look.came_from({look.expected->row, 0});
}

// ---- arrays ----

/// The orders that axes can have, as digits: 21 stands for 0 2 1.
constexpr int kOrdersOf3[] = {21, 102, 120, 201, 210};
constexpr int kOrdersOf4[] = {132,  213,  231,  312,  321,  1023, 1032, 1203,
                              1230, 1302, 1320, 2013, 2031, 2103, 2130, 2301,
                              2310, 3012, 3021, 3102, 3120, 3201, 3210};

/// What an output holds whose axes were put into that order.
bool in_order(const Look& look, int rank, int digits) {
    if (!look.problem.is_permuted()) return false;
    Permutation other = look.problem.axes();
    if (other.rank != rank) return false;
    for (int k = rank - 1; k >= 0; --k, digits /= 10) other.order[k] = digits % 10;
    return look.came_from(look.problem.in_cell(source_index(other, look.index)));
}

bool in_order_of_3(const Look& look, int digits) {
    return in_order(look, 3, digits);
}

bool in_order_of_4(const Look& look, int digits) {
    return in_order(look, 4, digits);
}

std::string order_meaning(int rank, int digits) {
    std::string order;
    for (int k = 0; k < rank; ++k, digits /= 10) order = " " + std::to_string(digits % 10) + order;
    return "the axes of in were put into the order" + order;
}

/// The matrix (or array) at index 0 of the first axis stands for the others.
bool of_first_batch(const Look& look, int) {
    const Problem& problem = look.problem;
    if (!problem.is_permuted() || !look.expected) return false;
    const std::int64_t size = problem.elements() / problem.axes().extents[0];
    const std::int64_t right = problem.index(*look.expected);
    return right >= size && look.came_from(problem.in_cell(right % size));
}

std::string with_side(const char* text, int tile) {
    return std::string(text) + " (" + std::to_string(tile) + " x " + std::to_string(tile) + ")";
}

/// The row or column next to the right one.
void add_neighbours(std::vector<Hypothesis>& list) {
    for (const int step : {1, -1}) {
        const std::string of = step > 0 ? "next" : "previous";
        list.push_back({Fault::off_by_one_row, step, row_away,
                        "off by one row: it comes from the " + of + " row"});
        list.push_back({Fault::off_by_one_col, step, col_away,
                        "off by one column: it comes from the " + of + " column"});
    }
}

std::vector<Hypothesis> list_hypotheses() {
    std::vector<Hypothesis> list = {
        {Fault::indices_not_swapped, 0, copied, "the indices were not swapped"},
        {Fault::indices_swapped, 0, transposed,
         "the indices were swapped, but a copy was asked for"},
        {Fault::wrong_pitch, 0, exchanged_pitch,
         "rows and cols are exchanged as the length of a row"},
    };
    for (const int tile : kTileSides) {
        list.push_back(
            {Fault::tile_not_moved, tile, transposed_in_place,
             with_side("each tile", tile) +
                 " was transposed, but stayed where it was: swap the block indices too"});
        list.push_back({Fault::tile_not_transposed, tile, moved_untransposed,
                        with_side("each tile", tile) +
                            " went to its place, but was not transposed: its rows must become "
                            "columns"});
        list.push_back({Fault::tile_repeated, tile, of_first_tile,
                        with_side("the first tile", tile) +
                            " is in the others too: blockIdx is missing in an index"});
    }
    list.insert(list.end(),
                {{Fault::line_repeated, 0, of_first_row,
                  "the first row of the input stands for the others: an index lacks the row"},
                 {Fault::line_repeated, 0, of_first_col,
                  "the first column of the input stands for the others: an index lacks the column"},
                 {Fault::turned_around, 0, turned_around,
                  "it was rotated or mirrored instead of transposed"},
                 {Fault::batch_repeated, 0, of_first_batch,
                  "the first one along the first axis stands for the others: its index is missing "
                  "where in is read",
                  true}});
    add_neighbours(list);
    for (const int digits : kOrdersOf3) {
        list.push_back(
            {Fault::axes_in_other_order, digits, in_order_of_3, order_meaning(3, digits), true});
    }
    for (const int digits : kOrdersOf4) {
        list.push_back(
            {Fault::axes_in_other_order, digits, in_order_of_4, order_meaning(4, digits), true});
    }
    return list;
}

}  // namespace

const std::vector<Hypothesis>& hypotheses() {
    static const std::vector<Hypothesis> list = list_hypotheses();
    return list;
}

bool is_of_same_tile(const Look& look, int tile) {
    if (!look.source || !look.expected) return false;
    const Cell is = *look.source, should = *look.expected;
    return is.row / tile == should.row / tile && is.col / tile == should.col / tile;
}

bool is_of_unturned_tile(const Look& look, int tile) {
    if (!look.source || look.problem.produces.kind != Produces::transpose) return false;
    const Cell is = *look.source;
    return is.row % tile == look.out.row % tile && is.col % tile == look.out.col % tile;
}

bool is_of_wrong_tile(const Look& look, int tile) {
    if (!look.source || !look.expected || is_of_same_tile(look, tile)) return false;
    const Cell is = *look.source, should = *look.expected;
    return is.row % tile == should.row % tile && is.col % tile == should.col % tile;
}

}  // namespace coalesce
