/// \file
/// Examines a learner's whole program and returns a verdict.
///
/// The examiner compiles the program and runs it on the simulated GPU with several numbers of
/// elements. One of these numbers is derived from the program's text, so that its author cannot
/// write a program that is correct only for the numbers that are used. If all runs use the same
/// grid, there is another run with many more elements. In the last run, the kernel launch is made
/// to fail. The examiner does not trust the program's output. Instead, a library between the
/// program and the CUDA runtime (witness.h) records the program's copies, its launches and the data
/// that it copies back.
///
/// The program's host code runs with the rights of the calling user and without a sandbox, so this
/// examination is only for the learner's own programs.
#pragma once

#include "examiner/course/exercise.h"
#include "examiner/source.h"
#include "examiner/verdict.h"

namespace coalesce {

/// Examines the program. Never throws: a problem with this computer is also reported as a Failure.
Verdict examine_program(const Source& source, const Exercise& exercise);

}  // namespace coalesce
