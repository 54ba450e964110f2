/// \file
/// What exercises/checks.cpp uses: one examination of a learner's file, and the main function around
/// all test cases. The program is build/bin/exercise_checks.
///
/// It examines what its test cases are for (--test-case="03_tiled" or "03_tiled hunt"), prints what it
/// found, and ends with 0 when all is well, 1 when a kernel is not there yet, and 2 when nothing could
/// be examined. It reads from the environment:
///
///     COALESCE_KERNEL    the file to examine; otherwise kernel.cu (or hunt.cu) of the exercise
///     COALESCE_VERDICT   a file that gets the verdict as JSON (see examiner/verdict.h)
///     COALESCE_DEVICE    sim (the default), gpu, auto
///     COALESCE_CACHE     a folder for what is slow to make; none otherwise
#pragma once

#include <doctest/doctest.h>

#include <string>

#include "examiner/verdict.h"

namespace coalesce::exercises {

/// Examines the learner's file as that exercise asks: "03_tiled", "03_tiled hunt".
/// Prints what was found, and writes it down if that is asked for.
Verdict verdict_on(const std::string& exercise);

}  // namespace coalesce::exercises
