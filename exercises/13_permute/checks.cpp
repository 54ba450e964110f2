// What exercise 13_permute asks: a stack of matrices of 64 rows, each of which is transposed.

#include "exercises/checks.h"

using namespace coalesce;
using namespace coalesce::exercises;

static const Lesson lesson = {
    .name = "13_permute",
    .kernel = "transpose_stack",
    .produces = stack_of(64),
    .rows_multiple = 64,
    .shapes = {{64, 64},   // a single matrix
               {64, 96},   // wider than tall
               {256, 32},  // four matrices
               {192, 77},  // tiles hang over the right edge of each
               {64, 1},    // a single column
               {320, 3}},  // and three, five times
    .limits =
        {.load = 4, .store = 4, .shared_load = 1, .shared_store = 1, .elements_per_thread = 8},
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
