// What exercise 09_vec4_t64 asks: a tile of 64 x 64, and four float4 a thread.

#include "exercises/checks.h"

using namespace coalesce;
using namespace coalesce::exercises;

static const Lesson lesson = {
    .name = "09_vec4_t64",
    .rows_multiple = 4,
    .cols_multiple = 4,
    .shapes = {{128, 128},  // whole tiles, as many across as down
               {192, 64},   // taller than wide
               {64, 192},   // wider than tall
               {84, 140},   // tiles hang over the right and the bottom edge
               {4, 76},     // the fewest rows
               {76, 4}},    // the fewest columns
    // 16 lanes 4 banks apart are 64 banks, and there are 32: a shared access takes 2 wavefronts.
    .limits = {.load = 16,
               .store = 16,
               .shared_load = 2,
               .shared_store = 2,
               .elements_per_thread = 16,
               .elements_per_block = 4096},
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
