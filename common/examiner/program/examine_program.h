/// \file
/// From a learner's whole program to a verdict. It is compiled, and run on the simulated GPU with several
/// numbers of elements, one of which depends on its text, and with many more where the grid is always the
/// same; then once more with a launch that fails. It is not asked what it thinks of its result: what its
/// copies and launches were, and what came back, is written down by a library that stands between it and
/// CUDA's (witness.h).
///
/// Its host code runs as the user who calls this, in no jail: it is for the reader's own programs.
#pragma once

#include "examiner/course/exercise.h"
#include "examiner/source.h"
#include "examiner/verdict.h"

namespace coalesce {

/// Examines. What is wrong with this computer is a Failure as well; nothing is thrown.
Verdict examine_program(const Source& source, const Exercise& exercise);

}  // namespace coalesce
