// Checks the learner's kernel for each exercise and each bug hunt. The kernel must compile, give the correct result for
// every shape, pass every check, and cost no more than the lesson allows. The exercise.toml of the lesson contains the
// shapes and the limits.
//
//     build/bin/exercise_checks --test-case="03_tiled"      what ./learn check 03 runs

#include "examiner/exercises/checks.h"

#include <cstdlib>

using coalesce::Verdict;

static void check(const char* exercise) {
    const Verdict verdict = coalesce::exercises::examine_exercise(exercise);
    REQUIRE_MESSAGE(verdict.outcome != Verdict::Outcome::not_examined, "nothing was found out");
    for (const coalesce::TriedShape& tried : verdict.shapes) {
        CHECK_MESSAGE(tried.passed, "right and clean at " << tried.shape.name());
    }
    CHECK_MESSAGE(verdict.passed(), verdict.failure_id());
}

// The program must be correct for every number of elements, and must detect a failed launch.
TEST_CASE("00_program") {
    check("00_program");
}

// The kernel must copy the matrix at the lowest possible cost.
TEST_CASE("01_copy") {
    check("01_copy");
}
TEST_CASE("01_copy hunt") {
    check("01_copy hunt");
}

// The transpose must be correct, and its loads must be coalesced.
TEST_CASE("02_naive") {
    check("02_naive");
}
TEST_CASE("02_naive hunt") {
    check("02_naive hunt");
}

// Both loads and stores must be coalesced, which takes shared memory.
TEST_CASE("03_tiled") {
    check("03_tiled");
}
TEST_CASE("03_tiled hunt") {
    check("03_tiled hunt");
}

// The kernel of lesson 03 must no longer have any bank conflicts.
TEST_CASE("04_padded") {
    check("04_padded");
}
TEST_CASE("04_padded hunt") {
    check("04_padded hunt");
}

// The kernel of lesson 04 must use a quarter of its threads.
TEST_CASE("05_coarsened") {
    check("05_coarsened");
}
TEST_CASE("05_coarsened hunt") {
    check("05_coarsened hunt");
}

// The blocks must take the tiles along diagonals, each tile exactly once.
TEST_CASE("06_diagonal") {
    check("06_diagonal");
}
TEST_CASE("06_diagonal hunt") {
    check("06_diagonal hunt");
}

// The kernel must move the same sectors with half as many requests.
TEST_CASE("07_vec2") {
    check("07_vec2");
}
TEST_CASE("07_vec2 hunt") {
    check("07_vec2 hunt");
}

// The kernel must move the same sectors with a quarter of the requests.
TEST_CASE("08_vec4") {
    check("08_vec4");
}
TEST_CASE("08_vec4 hunt") {
    check("08_vec4 hunt");
}

// The tile must be 64 x 64, and each thread must move four float4s.
TEST_CASE("09_vec4_t64") {
    check("09_vec4_t64");
}
TEST_CASE("09_vec4_t64 hunt") {
    check("09_vec4_t64 hunt");
}

// A thread must transpose 4 x 4 floats in registers before it stores them into the tile.
TEST_CASE("10_registers") {
    check("10_registers");
}
TEST_CASE("10_registers hunt") {
    check("10_registers hunt");
}

// Stores must begin at sectors, even in matrices whose rows do not.
TEST_CASE("11_any_shape") {
    check("11_any_shape");
}
TEST_CASE("11_any_shape hunt") {
    check("11_any_shape hunt");
}

// A block must handle four tiles, and must not wait for copies earlier than necessary.
TEST_CASE("12_async") {
    check("12_async");
}
TEST_CASE("12_async hunt") {
    check("12_async hunt");
}

// Each row of a tile must be a separate copy, and an mbarrier must count its bytes.
TEST_CASE("13_tma") {
    check("13_tma");
}
TEST_CASE("13_tma hunt") {
    check("13_tma hunt");
}

// The tiles of a square matrix must be swapped in pairs.
TEST_CASE("14_in_place") {
    check("14_in_place");
}
TEST_CASE("14_in_place hunt") {
    check("14_in_place hunt");
}

// The kernel must transpose each matrix of a stack of matrices with 64 rows.
TEST_CASE("15_permute") {
    check("15_permute");
}
TEST_CASE("15_permute hunt") {
    check("15_permute hunt");
}

// The blocks must serve the GPUs in turn.
TEST_CASE("16_many_gpus") {
    check("16_many_gpus");
}
TEST_CASE("16_many_gpus hunt") {
    check("16_many_gpus hunt");
}

// The lanes of a warp must add a row together, with coalesced loads.
TEST_CASE("17_reduction") {
    check("17_reduction");
}
TEST_CASE("17_reduction hunt") {
    check("17_reduction hunt");
}

// Each thread must compute several elements, and keep their sums in registers.
TEST_CASE("18_product") {
    check("18_product");
}
TEST_CASE("18_product hunt") {
    check("18_product hunt");
}

// The exercises beyond the transpose are found by their folders, so COALESCE_EXERCISE names the one to check.
TEST_CASE("beyond the transpose" * doctest::skip(std::getenv("COALESCE_EXERCISE") == nullptr)) {
    check(std::getenv("COALESCE_EXERCISE"));
}
