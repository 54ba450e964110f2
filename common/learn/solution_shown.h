/// \file
/// Hides the solution of an exercise until the exercise has passed. The lesson's kernel, which is
/// identical to the solution, is hidden too.
#pragma once

#include <string>

#include "learn/session.h"

namespace coalesce::learn {

/// A command that would show the solution.
struct SolutionRequest {
    /// the command that shows the solution when run with --yes, such as "explain 03"
    std::string words;
    /// the command to suggest, such as "./learn ptx 03 --mine"; "" to suggest hints
    std::string instead = "";
};

/// Reports whether the learner may see the solution: the exercise has passed, the learner has seen
/// the solution before, or `is_confirmed` is set. Otherwise asks for confirmation, and prints what
/// to do instead if the learner declines.
bool may_see_solution(Session& session, const LearnerExercise& exercise, bool is_confirmed,
                      const SolutionRequest& request);

/// Returns the main kernel of a step: the text between two markers in the step's main.cu. Throws
/// UsageError if there are no markers.
std::string extract_step_kernel(const std::string& step);

}  // namespace coalesce::learn
