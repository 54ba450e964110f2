// What exercise 11_async asks: blocks that stay for four tiles, and copies that nobody waits for
// too early.

#include "exercises/checks.h"

using namespace coalesce;
using namespace coalesce::exercises;

static const Lesson lesson = {
    .name = "11_async",
    .rows_multiple = 4,
    .cols_multiple = 4,
    .shapes = {{64, 64},    // one tile: nothing to overlap
               {256, 128},  // two blocks of four tiles
               {64, 320},   // five tiles: the last block has one
               {84, 140},   // tiles hang over the right and the bottom edge
               {4, 76},     // the fewest rows
               {76, 4}},    // the fewest columns
    // 32 lanes x 16 bytes are 16 sectors, and 4 wavefronts of shared memory at least.
    .limits = {.load = 16,
               .store = 16,
               .shared_load = 4,
               .shared_store = 4,
               .elements_per_thread = 64,
               .elements_per_block = 16384},
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
