// What the course asks of every kernel that a learner writes, and of every bug that is hunted: that it
// compiles, is right on every shape, and is clean under every check; and that it costs no more than
// its lesson allows. Its exercise.toml has the shapes and the limits.
//
//     build/bin/exercise_checks --test-case="03_tiled"      what ./learn check 03 runs

#include "examiner/exercises/checks.h"

using coalesce::Verdict;

static void check(const char* exercise) {
    const Verdict verdict = coalesce::exercises::verdict_on(exercise);
    REQUIRE_MESSAGE(verdict.outcome != Verdict::Outcome::not_examined, "nothing was found out");
    for (const coalesce::ShapeTried& tried : verdict.shapes) {
        CHECK_MESSAGE(tried.passed, "right and clean at " << tried.shape.name());
    }
    CHECK_MESSAGE(verdict.passed(), verdict.failure_id());
}

// A whole program: right for every number of elements, and it notices a launch that fails.
TEST_CASE("00_program") {
    check("00_program");
}

// The same matrix again, at the least cost that there is.
TEST_CASE("01_copy") {
    check("01_copy");
}
TEST_CASE("01_copy hunt") {
    check("01_copy hunt");
}

// A right transpose, whose loads are coalesced.
TEST_CASE("02_naive") {
    check("02_naive");
}
TEST_CASE("02_naive hunt") {
    check("02_naive hunt");
}

// Loads and stores coalesced, by way of shared memory.
TEST_CASE("03_tiled") {
    check("03_tiled");
}
TEST_CASE("03_tiled hunt") {
    check("03_tiled hunt");
}

// The kernel of 03 without a bank conflict.
TEST_CASE("04_padded") {
    check("04_padded");
}
TEST_CASE("04_padded hunt") {
    check("04_padded hunt");
}

// The kernel of 04 with a quarter of its threads.
TEST_CASE("05_coarsened") {
    check("05_coarsened");
}
TEST_CASE("05_coarsened hunt") {
    check("05_coarsened hunt");
}

// Blocks take their tiles along diagonals, each tile once.
TEST_CASE("06_diagonal") {
    check("06_diagonal");
}
TEST_CASE("06_diagonal hunt") {
    check("06_diagonal hunt");
}

// The same sectors with half as many requests.
TEST_CASE("07_vec2") {
    check("07_vec2");
}
TEST_CASE("07_vec2 hunt") {
    check("07_vec2 hunt");
}

// The same sectors with a quarter of the requests.
TEST_CASE("08_vec4") {
    check("08_vec4");
}
TEST_CASE("08_vec4 hunt") {
    check("08_vec4 hunt");
}

// A tile of 64 x 64, and four float4 per thread.
TEST_CASE("09_vec4_t64") {
    check("09_vec4_t64");
}
TEST_CASE("09_vec4_t64 hunt") {
    check("09_vec4_t64 hunt");
}

// 4 x 4 floats per thread, turned before they go into the tile.
TEST_CASE("10_registers") {
    check("10_registers");
}
TEST_CASE("10_registers hunt") {
    check("10_registers hunt");
}

// Stores that begin at sectors, in matrices whose rows do not.
TEST_CASE("11_any_shape") {
    check("11_any_shape");
}
TEST_CASE("11_any_shape hunt") {
    check("11_any_shape hunt");
}

// Blocks that stay for four tiles, and copies that nobody waits for too early.
TEST_CASE("12_async") {
    check("12_async");
}
TEST_CASE("12_async hunt") {
    check("12_async hunt");
}

// The rows of a tile are copies of their own, and an mbarrier counts their bytes.
TEST_CASE("13_tma") {
    check("13_tma");
}
TEST_CASE("13_tma hunt") {
    check("13_tma hunt");
}

// The pairs of tiles of a square change places.
TEST_CASE("14_in_place") {
    check("14_in_place");
}
TEST_CASE("14_in_place hunt") {
    check("14_in_place hunt");
}

// A stack of matrices of 64 rows, each of which is transposed.
TEST_CASE("15_permute") {
    check("15_permute");
}
TEST_CASE("15_permute hunt") {
    check("15_permute hunt");
}

// Blocks serve the GPUs in turn.
TEST_CASE("16_many_gpus") {
    check("16_many_gpus");
}
TEST_CASE("16_many_gpus hunt") {
    check("16_many_gpus hunt");
}
