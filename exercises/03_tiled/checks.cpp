// What exercise 03_tiled asks: loads and stores coalesced, by way of shared memory.

#include "exercises/checks.h"

using namespace coalesce;
using namespace coalesce::exercises;

static const Lesson lesson = {
    .name = "03_tiled",
    .shapes = {{64, 64},  // whole tiles, as many across as down
               {96, 32},  // taller than wide
               {32, 96},  // wider than tall
               {77, 45},  // tiles hang over the right and the bottom edge
               {1, 70},   // a single row
               {70, 1}},  // a single column
    // Every load and store touches the 4 sectors of 32 neighbours. Reading a column of the tile may
    // cost 32 wavefronts: a debt that 04 pays.
    .limits = {.load = 4, .store = 4, .shared_load = 32, .shared_store = 1},
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
