/// \file
/// From a learner's file to a verdict: is the kernel right on every shape, clean under every check,
/// and does it cost no more than the exercise asks? If not, the one cause, by name.
///
///     LocalRunner runner({});
///     Verdict verdict = examine(read_source("exercises/03_tiled/kernel.cu"), exercise, runner,
///                               {.solution = read_source("solutions/03_tiled/kernel.cu")});
///     std::puts(terminal_text(verdict).c_str());
///
/// It is the only examiner: the checks, the learner's command and the grader differ in the runner
/// that they give it. On a real GPU the result alone is judged, and costs are not.
#pragma once

#include <optional>

#include "examiner/course/exercise.h"
#include "examiner/runner.h"
#include "examiner/source.h"
#include "examiner/verdict.h"

namespace coalesce {

/// What an examination has beside the exercise.
struct ExamineOptions {
    /// A kernel that must not be beaten in sectors, requests or wavefronts, in total; none: what the
    /// exercise's limits say is all that is asked.
    std::optional<Source> solution = {};
    /// Another shape whose costs are compared with the solution's, when those at `counted` are not too
    /// expensive; 0 x 0: none. What is wrong there is told as everywhere.
    Shape counted_too{0, 0};
};

/// Examines. What is wrong with this computer is a Failure as well; nothing is thrown.
Verdict examine(const Source& source, const Exercise& exercise, Runner& runner,
                const ExamineOptions& options = {});

}  // namespace coalesce
