// Checks the learner's kernel for each exercise and each bug hunt. The kernel must compile, give the correct result for
// every shape, pass every check, and cost no more than the lesson allows. The exercise.toml of the lesson contains the
// shapes and the limits.
//
//     build/bin/exercise_checks --test-case="03_tiled"      what ./learn check 03 runs

#include "examiner/exercises/checks.h"

using coalesce::Verdict;

static void check(const char* exercise) {
    const Verdict verdict = coalesce::exercises::examine_exercise(exercise);
    REQUIRE_MESSAGE(verdict.outcome != Verdict::Outcome::not_examined, "nothing was found out");
    for (const coalesce::TriedShape& tried : verdict.shapes) {
        CHECK_MESSAGE(tried.passed, "right and clean at " << tried.shape.name());
    }
    CHECK_MESSAGE(verdict.passed(), verdict.failure_id());
}

// CMake lists all exercises and bug hunts in exercise_cases.inc.
#define CHECK_EXERCISE(name) \
    TEST_CASE(name) {        \
        check(name);         \
    }
#include "exercise_cases.inc"
