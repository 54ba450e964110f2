// What exercise 05_coarsened asks: the kernel of 04 with a quarter of its threads.

#include "exercises/checks.h"

using namespace coalesce;
using namespace coalesce::exercises;

static const Lesson lesson = {
    .name = "05_coarsened",
    .shapes = {{64, 64},  // whole tiles, as many across as down
               {96, 32},  // taller than wide
               {32, 96},  // wider than tall
               {77, 45},  // the last tiles end within a thread's four rows
               {1, 70},   // a single row
               {70, 1}},  // a single column
    // Requests cost what they cost in 04; each thread makes four.
    .limits =
        {.load = 4, .store = 4, .shared_load = 1, .shared_store = 1, .elements_per_thread = 4},
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
