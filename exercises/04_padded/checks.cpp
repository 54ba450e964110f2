// What exercise 04_padded asks: the kernel of 03 without a bank conflict.

#include "exercises/checks.h"

using namespace coalesce;
using namespace coalesce::exercises;

static const Lesson lesson = {
    .name = "04_padded",
    .shapes = {{64, 64},  // whole tiles, as many across as down
               {96, 32},  // taller than wide
               {32, 96},  // wider than tall
               {77, 45},  // tiles hang over the right and the bottom edge
               {1, 70},   // a single row
               {70, 1}},  // a single column
    // 32 lanes, 32 banks: every access to the tile takes one wavefront, along rows and down columns.
    .limits = {.load = 4, .store = 4, .shared_load = 1, .shared_store = 1},
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
