/// \file
/// Examines a learner's file and returns a verdict. A kernel passes if it is correct on every
/// shape, passes every check, and costs no more than the exercise allows. Otherwise the verdict
/// names the cause.
///
///     LocalRunner runner({});
///     Verdict verdict = examine(read_source("exercises/03_tiled/kernel.cu"), exercise, runner,
///                               {.solution = read_source("solutions/03_tiled/kernel.cu")});
///     std::puts(terminal_text(verdict).c_str());
///
/// The checks, the learner's command and the grader all use this examiner, with different runners.
/// On a real GPU only the result is judged, not the costs.
#pragma once

#include <optional>
#include <vector>

#include "examiner/course/exercise.h"
#include "examiner/runner.h"
#include "examiner/source.h"
#include "examiner/verdict.h"

namespace coalesce {

/// The options of an examination.
struct ExamineOptions {
    /// The solution. The kernel may not need more sectors, requests or wavefronts in total than the
    /// solution. Without a solution, only the exercise's limits apply.
    std::optional<Source> solution = {};
    /// A second shape on which the kernel's costs are compared with the solution's costs. This
    /// comparison is made only if the costs on the first shape are within the limits. 0 x 0 means
    /// no second shape.
    Shape second_counted_shape{0, 0};
    /// A shape with partial tiles, on which the kernel may cost somewhat more than the solution. 0
    /// x 0 means that there is no such shape.
    Shape ragged_counted_shape{0, 0};
    /// Shapes that are too large for a launch of all blocks. On these shapes, the runner launches
    /// only some of the blocks (Runner::run_large).
    std::vector<Shape> large_shapes = {};
    /// The runner that measures the solution, or null to use the learner's runner. With a separate
    /// runner, the solution's costs do not count towards the limits of the learner's runner.
    Runner* solution_runner = nullptr;
};

/// Examines a file. Never throws: a problem with this computer is also reported as a Failure.
Verdict examine(const Source& source, const Exercise& exercise, Runner& runner,
                const ExamineOptions& options = {});

}  // namespace coalesce
