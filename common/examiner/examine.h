/// \file
/// Examines a learner's file and returns a verdict: whether the kernel is right on every shape, passes every check,
/// and costs no more than the exercise allows; if not, the verdict names the one cause.
///
///     LocalRunner runner({});
///     Verdict verdict = examine(read_source("exercises/03_tiled/kernel.cu"), exercise, runner,
///                               {.solution = read_source("solutions/03_tiled/kernel.cu")});
///     std::puts(terminal_text(verdict).c_str());
///
/// The checks, the learner's command and the grader all use this examiner, with different runners. On a real GPU only
/// the result is judged, not the costs.
#pragma once

#include <optional>

#include "examiner/course/exercise.h"
#include "examiner/runner.h"
#include "examiner/source.h"
#include "examiner/verdict.h"

namespace coalesce {

/// The options of an examination.
struct ExamineOptions {
    /// The solution, whose total sectors, requests and wavefronts the kernel must not exceed. Without it, only the
    /// exercise's limits count.
    std::optional<Source> solution = {};
    /// Another shape whose costs are compared with the solution's if those at `counted` are within the limits; 0 x 0
    /// for none. Errors there are reported like all others.
    Shape counted_too{0, 0};
};

/// Examines a file. Problems of this computer become a Failure too; nothing is thrown.
Verdict examine(const Source& source, const Exercise& exercise, Runner& runner,
                const ExamineOptions& options = {});

}  // namespace coalesce
