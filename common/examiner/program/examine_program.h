/// \file
/// Examines a learner's whole program and returns a verdict. The examiner compiles the program and runs it on the
/// simulated GPU with several numbers of elements. One of these numbers is derived from the program's text, so that
/// nobody can prepare for it. If all runs used the same grid, another run has many more elements. In the last run, the
/// kernel launch fails. The examiner does not rely on what the
/// program says about its result: a library between the program and the CUDA runtime (witness.h) records its copies,
/// its launches and the data that comes back.
///
/// The program's host code runs with the rights of the calling user and without a sandbox, so this is only for the
/// learner's own programs.
#pragma once

#include "examiner/course/exercise.h"
#include "examiner/source.h"
#include "examiner/verdict.h"

namespace coalesce {

/// Examines the program. Problems of this computer become a Failure too; nothing is thrown.
Verdict examine_program(const Source& source, const Exercise& exercise);

}  // namespace coalesce
