#include "learn/solution_shown.h"

#include <iostream>

#include "base/errors.h"
#include "base/files.h"
#include "learn/paths.h"
#include "learn/terminal.h"

namespace coalesce::learn {
namespace {

const std::string kKernelMarker = "//! [kernel]";

bool has_passed_or_seen_solution(Session& session, const LearnerExercise& exercise) {
    const State state = session.progress.read();
    const Record& record = state.record(exercise.name());
    return !record.passed_hash.empty() || record.solution_seen;
}

}  // namespace

bool may_see_solution(Session& session, const LearnerExercise& exercise, bool is_confirmed,
                      const SolutionRequest& request) {
    if (has_passed_or_seen_solution(session, exercise)) return true;
    const std::string question =
        exercise.name() + " has not passed yet. You cannot unsee the solution.";
    const std::string instead = request.instead.empty()
                                    ? "Hints: ./learn hint " + exercise.command_arguments()
                                    : "Yours: " + request.instead;
    if (!is_confirmed && !can_ask()) {
        std::cout << question << "\n"
                  << instead << "      Show the solution anyway: ./learn " << request.words
                  << " --yes\n";
        return false;
    }
    std::string answer = "y";
    if (!is_confirmed) {
        ask(question + "\nShow the solution anyway? [y/N] ", answer);
        if (!answer.starts_with('y') && !answer.starts_with('Y')) {
            std::cout << instead << "\n";
            return false;
        }
    }
    session.progress.update(
        [&](State& state) { state.records[exercise.name()].solution_seen = true; });
    return true;
}

std::string extract_step_kernel(const std::string& step) {
    auto text = read_if_exists(repository() / "steps" / step / "main.cu");
    size_t begin = text ? text->find(kKernelMarker + "\n") : std::string::npos;
    size_t end = begin == std::string::npos ? begin : text->find(kKernelMarker, begin + 1);
    if (end == std::string::npos) {
        throw UsageError("steps/" + step + "/main.cu has no kernel between a pair of lines \"" +
                         kKernelMarker + "\"; git checkout steps restores the file");
    }
    begin += kKernelMarker.size() + 1;
    return text->substr(begin, end - begin);
}

}  // namespace coalesce::learn
