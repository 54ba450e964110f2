// What exercise 06_diagonal asks: blocks take their tiles along diagonals, each tile once, and no
// request costs more than in 05.

#include "exercises/checks.h"

using namespace coalesce;
using namespace coalesce::exercises;

// Down along a diagonal, and in each round one column further to the right.
static Cell tile_of(int x, int y, int wide, int tall) {
    int block = y * wide + x;
    int tile_row = block % tall;
    return {tile_row, (block / tall + tile_row) % wide};
}

static const Lesson lesson = {
    .name = "06_diagonal",
    .shapes = {{96, 96},   // as many tiles across as down
               {64, 160},  // more tiles across than down
               {160, 64},  // more tiles down than across
               {77, 45},   // tiles hang over the right and the bottom edge
               {1, 70},    // a single row
               {70, 1}},   // a single column
    .limits =
        {.load = 4, .store = 4, .shared_load = 1, .shared_store = 1, .elements_per_thread = 4},
    .block_order = BlockOrder{.tile_of = tile_of},
};

TEST_CASE("exercise") {
    check_kernel(lesson);
}

TEST_CASE("bug hunt") {
    check_hunt(lesson);
}

TEST_CASE("proofs" * doctest::skip()) {
    prove(lesson);
}
