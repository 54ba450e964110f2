// What exercise 02_naive asks: a right transpose, whose loads are coalesced.

#include "exercises/checks.h"

using namespace coalesce;
using namespace coalesce::exercises;

static const Lesson lesson = {
    .name = "02_naive",
    .shapes = {{64, 64},  // whole blocks, as many rows as columns
               {96, 32},  // taller than wide: rows and cols can be told apart from here on
               {32, 96},  // wider than tall
               {77, 45},  // blocks hang over the right and the bottom edge
               {1, 70},   // a single row
               {70, 1}},  // a single column
    // 32 lanes read 32 neighbours: 4 sectors. They write to 32 rows of `out`: 32 sectors, a debt
    // that 03 pays.
    .limits = {.load = 4, .store = 32},
    // Blocks of the hunt are 8 columns wide, which 40 is a multiple of, unlike of 32.
    .hunt_shapes = {{64, 64}, {96, 40}, {40, 96}, {77, 45}, {1, 70}, {70, 1}},
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
