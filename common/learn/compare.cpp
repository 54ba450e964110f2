#include "learn/commands.h"

#include <iostream>
#include <sstream>

#include "base/errors.h"
#include "base/files.h"
#include "base/text.h"
#include "examiner/predicted_launch.h"
#include "examiner/render.h"
#include "harness/text.h"
#include "learn/checker.h"
#include "learn/counted.h"
#include "learn/line_diff.h"
#include "learn/paths.h"
#include "learn/solution_shown.h"
#include "timing/time_line.h"

namespace coalesce::learn {
namespace {

std::string learners_text(const LearnerExercise& exercise) {
    auto text = read_if_exists(exercise.file());
    if (text) return *text;
    throw UsageError(exercise.relative_file().string() + " cannot be read; ./learn reset " +
                     exercise.command_arguments() + " restores it");
}

// Returns the text without its opening comment, which is the same in both files.
std::string without_head(const std::string& text) {
    std::string rest;
    bool in_head = true;
    for (const std::string& line : lines_of(text)) {
        in_head = in_head && (line.starts_with("//") || line.empty());
        if (!in_head) rest += line + "\n";
    }
    return rest;
}

void show_side_by_side(const LearnerExercise& exercise, const std::string& yours,
                       const Style& style) {
    auto lines = only_changes(line_diff(without_head(yours), without_head(exercise.solution())));
    if (style.clear) {
        std::cout << side_by_side("yours", "the solution", lines, style.columns);
    } else {
        std::cout << "Lines marked - are only in your kernel. Lines marked + are only in "
                     "the\nsolution:\n\n"
                  << diff_text(lines);
    }
    bool is_same = true;
    for (auto& line : lines) is_same &= line.kind == DiffLine::both;
    if (is_same) std::cout << "\nYour kernel and the solution are the same.\n";
}

void show_reasons(const Verdict& verdict) {
    if (!verdict.counters) return;
    std::cout << "\n"
              << terminal_text(verdict) << "\nWhat each line of your kernel costs, and why:\n";
    for (auto& line : verdict.lines) {
        auto reasons = explain_line_costs(verdict, line.counters);
        if (reasons.empty()) continue;
        std::istringstream code(excerpt(verdict.source, line.line, 0));
        std::string marked;
        while (std::getline(code, marked) && !marked.starts_with("> ")) {
        }
        std::cout << "\n" << marked << "\n";
        for (auto& reason : reasons) std::cout << wrap(reason, "       ");
    }
}

// Prints a timeline of the events on one multiprocessor, and the reason for the kernel's predicted
// time.
void show_time_line(const Verdict& verdict, const Style& style) {
    if (!verdict.predicted) return;
    const timing::TimeExplanation told = describe_prediction(*verdict.predicted);
    std::string why;
    for (auto& sentence : told.why) why += sentence + " ";
    std::cout << "\n"
              << timing::time_line_text(verdict.predicted->longest(), style.columns) << "\n"
              << wrap(why + told.cure);
    for (auto& sentence : told.unknown) std::cout << wrap(sentence);
}

// Reports whether the learner may see the kernels of both lessons: the learner has solved the
// exercises, or has confirmed the request.
bool may_see_lessons(Session& session, const LearnerExercise& exercise, bool yes) {
    const std::string words = "diff " + exercise.command_arguments();
    const SolutionRequest showing{words, "./learn " + words + " --mine"};
    const course::Step* earlier = session.course.find(exercise.step->builds_on);
    return may_see_solution(session, exercise, yes, showing) &&
           (!earlier || !earlier->exercise || may_see_solution(session, {earlier}, yes, showing));
}

}  // namespace

int diff(Session& session, const LearnerExercise& exercise, const DiffArguments& words) {
    const course::Step& step = *exercise.step;
    if (step.builds_on.empty()) {
        throw UsageError(step.name +
                         " is the first step, so there is no earlier kernel to compare it with");
    }
    if (exercise.has_element_task()) {
        throw UsageError(exercise.name() +
                         " has its own task, so there is no earlier kernel to compare it with; "
                         "./learn explain " +
                         exercise.command_arguments() + " shows the solution");
    }
    std::string before, after, what;
    if (!words.is_learner_file && !may_see_lessons(session, exercise, words.is_confirmed)) return 1;
    if (words.is_learner_file) {
        auto earlier = read_if_exists(repository() / "exercises" / step.builds_on / "kernel.cu");
        before = earlier.value_or("");
        after = learners_text(exercise);
        what = "Your kernels. ";
    } else {
        before = extract_step_kernel(step.builds_on);
        after = extract_step_kernel(step.name);
        what = "The lessons' kernels. ";
    }
    what += "Lines marked - are only in " + step.builds_on + ".\nLines marked + are only in " +
            step.name + ":";
    auto lines = only_changes(line_diff(before, after));
    std::cout << what << "\n\n" << diff_text(lines) << "\n";
    std::cout << "The idea: " << step.title << " (" << exercise.lesson() << ")\n";
    return 0;
}

int explain(Session& session, const LearnerExercise& exercise, bool yes) {
    std::string yours = learners_text(exercise);
    if (!may_see_solution(session, exercise, yes, {"explain " + exercise.command_arguments()}))
        return 1;

    show_side_by_side(exercise, yours, session.style);
    auto verdict = last_verdict(exercise, hash_source(yours));
    if (verdict && verdict->passed()) {
        verdict->source = yours;
        show_reasons(*verdict);
    } else if (!exercise.is_program()) {
        std::cout << "\n"
                  << wrap(
                         "Costs are explained only after the current version of the kernel has "
                         "passed. Check the kernel first: ./learn check " +
                         exercise.command_arguments());
    }
    if (verdict) show_time_line(*verdict, session.style);
    std::cout << "\nThe lesson: " << exercise.lesson();
    if (!exercise.is_program() && !exercise.has_element_task())
        std::cout << "      A picture: ./learn picture " << exercise.command_arguments();
    std::cout << "\n";
    return 0;
}

}  // namespace coalesce::learn
