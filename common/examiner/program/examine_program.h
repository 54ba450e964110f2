/// \file
/// Examines a learner's whole program and returns a verdict. The program is compiled, and run on the simulated GPU
/// with several numbers of elements, one of which depends on its text. If its grid is always the same, it also runs
/// with many more elements. Finally it runs once with a launch that fails. The examiner does not rely on what the
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
