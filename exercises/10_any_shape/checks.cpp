// What exercise 10_any_shape asks: stores that begin at sectors, in matrices whose rows do not.

#include "exercises/checks.h"

using namespace coalesce;
using namespace coalesce::exercises;

static const Lesson lesson = {
    .name = "10_any_shape",
    .shapes = {{64, 64},  // rows of `out` begin at sectors
               {65, 63},  // they do not
               {96, 33},  // taller than wide
               {33, 96},  // wider than tall
               {31, 77},  // one tile down
               {1, 70},   // a single row
               {70, 1}},  // a single column
    // With odd sides every row of `out` begins somewhere else. The solution says what that costs.
    .limits = {.elements_per_thread = 3},
    .counted = {255, 257},
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
