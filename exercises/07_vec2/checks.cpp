// What exercise 07_vec2 asks: the same sectors with half as many requests.

#include "exercises/checks.h"

using namespace coalesce;
using namespace coalesce::exercises;

static const Lesson lesson = {
    .name = "07_vec2",
    // Else every second row would begin in the middle of a float2.
    .rows_multiple = 2,
    .cols_multiple = 2,
    .shapes = {{64, 64},  // whole tiles, as many across as down
               {96, 32},  // taller than wide
               {32, 96},  // wider than tall
               {78, 46},  // tiles hang over the right and the bottom edge
               {2, 70},   // the fewest rows
               {70, 2}},  // the fewest columns
    // 32 lanes x 8 bytes are 8 sectors. The tile is used float by float: 1 wavefront.
    .limits =
        {.load = 8, .store = 8, .shared_load = 1, .shared_store = 1, .elements_per_thread = 4},
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
