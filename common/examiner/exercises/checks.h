/// \file
/// Declares the function that the test cases in exercises/checks.cpp call to examine a learner's
/// file. The test cases are linked into the program build/bin/exercise_checks.
///
/// The program examines the exercises that its test cases name (--test-case="03_tiled" or "03_tiled
/// hunt") and prints the verdicts. Its exit code is 0 if all kernels passed, 1 if one did not pass,
/// and 2 if nothing could be examined. The program reads these environment variables:
///
///     COALESCE_KERNEL    the file to examine; by default kernel.cu (or hunt.cu) of the exercise
///     COALESCE_VERDICT   a file to which the verdict is written as JSON (see examiner/verdict.h)
///     COALESCE_DEVICE    sim (the default), gpu, auto
///     COALESCE_CACHE     a folder that caches slow results; by default there is none
///     COALESCE_SEARCH_MS the milliseconds in which to search for a change that makes a failed
///                        kernel pass, if the rules leave the cause open; by default 0
#pragma once

#include <doctest/doctest.h>

#include <string>

#include "examiner/verdict.h"

namespace coalesce::exercises {

/// Examines the learner's file for an exercise such as "03_tiled" or "03_tiled hunt". Prints the
/// verdict, and writes it to the file named by COALESCE_VERDICT.
Verdict examine_exercise(const std::string& exercise);

}  // namespace coalesce::exercises
