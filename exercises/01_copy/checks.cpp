// What exercise 01_copy asks: the same matrix again, at the least cost that there is.

#include "exercises/checks.h"

using namespace coalesce;
using namespace coalesce::exercises;

// Small, so that a verdict takes no time; the mistakes of large matrices all show in them.
static const Lesson lesson = {
    .name = "01_copy",
    .kernel = "copy",
    .produces = {Produces::copy},
    .shapes = {{64, 64},  // whole tiles, as many across as down
               {32, 96},  // wider than tall
               {96, 32},  // taller than wide
               {77, 45},  // tiles hang over the right and the bottom edge
               {1, 70},   // a single row
               {70, 1}},  // a single column
    // 32 lanes read 32 neighbours and write 32 neighbours: 128 bytes, 4 sectors each. 32 x 8
    // threads move 32 x 32 elements: 4 a thread.
    .limits = {.load = 4, .store = 4, .elements_per_thread = 4},
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
