// What exercise 14_many_gpus asks: blocks serve the GPUs in turn, each GPU's beginning with another
// one, and no request costs more than in 05.

#include "exercises/checks.h"

using namespace coalesce;
using namespace coalesce::exercises;

// `wide` is a multiple of 4. The rows of tiles are shared by the GPUs in blocks, as the columns are.
static Cell tile_of(int x, int y, int wide, int tall) {
    int gpu = y / ((tall + 3) / 4);
    int peer = (x + gpu) % 4;
    return {y, peer * (wide / 4) + x / 4};
}

static const Lesson lesson = {
    .name = "14_many_gpus",
    .shapes = {{256, 256},  // whole tiles, as many for each GPU
               {64, 384},   // more tiles across than down; two GPUs have no rows
               {384, 64},   // more tiles down than across; two GPUs have no columns
               {77, 300},   // tiles hang over the edges, and GPU 3 has fewer of them
               {1, 70},     // a single row
               {70, 1}},    // a single column
    .limits =
        {.load = 4, .store = 4, .shared_load = 1, .shared_store = 1, .elements_per_thread = 1},
    .block_order = BlockOrder{.tile_of = tile_of, .shape = {160, 256}},
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
