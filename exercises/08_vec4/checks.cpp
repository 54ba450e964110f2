// What exercise 08_vec4 asks: the same sectors with a quarter of 05's requests.

#include "exercises/checks.h"

using namespace coalesce;
using namespace coalesce::exercises;

static const Lesson lesson = {
    .name = "08_vec4",
    // Else rows would begin in the middle of a float4.
    .rows_multiple = 4,
    .cols_multiple = 4,
    .shapes = {{64, 64},  // whole tiles, as many across as down
               {96, 32},  // taller than wide
               {32, 96},  // wider than tall
               {84, 44},  // tiles hang over the right and the bottom edge
               {4, 76},   // the fewest rows
               {76, 4}},  // the fewest columns
    // 32 lanes x 16 bytes are 16 sectors. The tile is used float by float: 1 wavefront.
    .limits =
        {.load = 16, .store = 16, .shared_load = 1, .shared_store = 1, .elements_per_thread = 8},
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
