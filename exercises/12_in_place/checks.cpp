// What exercise 12_in_place asks: the pairs of a square's tiles change places, each by one block.

#include "exercises/checks.h"

using namespace coalesce;
using namespace coalesce::exercises;

static const Lesson lesson = {
    .name = "12_in_place",
    .kernel = "transpose_in_place",
    .produces = in_place(),
    .shapes = {{64, 64},    // one pair, and two tiles on the diagonal
               {32, 32},    // the diagonal alone
               {160, 160},  // an odd number of tiles
               {77, 77},    // tiles hang over both edges
               {1, 1}},     // nothing to do
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
