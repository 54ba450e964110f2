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
std::string remove_opening_comment(const std::string& text) {
    std::string remaining_lines;
    bool is_in_header = true;
    for (const std::string& line : lines_of(text)) {
        is_in_header = is_in_header && (line.starts_with("//") || line.empty());
        if (!is_in_header) remaining_lines += line + "\n";
    }
    return remaining_lines;
}

void show_side_by_side(const LearnerExercise& exercise, const std::string& learner_code,
                       const Style& style) {
    auto lines = keep_changes(line_diff(remove_opening_comment(learner_code),
                                        remove_opening_comment(exercise.solution())));
    if (style.can_clear_screen) {
        std::cout << format_side_by_side("yours", "the solution", lines, style.columns);
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
        auto cost_reasons = explain_line_costs(verdict, line.counters);
        if (cost_reasons.empty()) continue;
        std::istringstream code(excerpt(verdict.source, line.line, 0));
        std::string marked_line;
        while (std::getline(code, marked_line) && !marked_line.starts_with("> ")) {
        }
        std::cout << "\n" << marked_line << "\n";
        for (auto& reason : cost_reasons) std::cout << wrap(reason, "       ");
    }
}

// Prints a timeline of the events on one multiprocessor, and the reason for the kernel's predicted
// time.
void show_time_line(const Verdict& verdict, const Style& style) {
    if (!verdict.predicted) return;
    const timing::TimeExplanation explanation = describe_prediction(*verdict.predicted);
    std::string explanation_text;
    for (auto& sentence : explanation.reasons) explanation_text += sentence + " ";
    std::cout << "\n"
              << timing::time_line_text(verdict.predicted->longest(), style.columns) << "\n"
              << wrap(explanation_text + explanation.cure);
    for (auto& sentence : explanation.unknown) std::cout << wrap(sentence);
}

// Reports whether the learner may see the kernels of both lessons: the learner has solved the
// exercises, or has confirmed the request.
bool may_see_lessons(Session& session, const LearnerExercise& exercise, bool is_confirmed) {
    const std::string command = "diff " + exercise.command_arguments();
    const SolutionRequest request{command, "./learn " + command + " --mine"};
    const course::Step* previous_step = session.course.find(exercise.step->builds_on);
    return may_see_solution(session, exercise, is_confirmed, request) &&
           (!previous_step || !previous_step->exercise ||
            may_see_solution(session, {previous_step}, is_confirmed, request));
}

}  // namespace

int diff(Session& session, const LearnerExercise& exercise, const DiffArguments& arguments) {
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
    std::string old_text, new_text, description;
    if (!arguments.is_learner_file && !may_see_lessons(session, exercise, arguments.is_confirmed))
        return 1;
    if (arguments.is_learner_file) {
        auto previous_text =
            read_if_exists(repository() / "exercises" / step.builds_on / "kernel.cu");
        old_text = previous_text.value_or("");
        new_text = learners_text(exercise);
        description = "Your kernels. ";
    } else {
        old_text = extract_step_kernel(step.builds_on);
        new_text = extract_step_kernel(step.name);
        description = "The lessons' kernels. ";
    }
    description += "Lines marked - are only in " + step.builds_on +
                   ".\nLines marked + are only in " + step.name + ":";
    auto lines = keep_changes(line_diff(old_text, new_text));
    std::cout << description << "\n\n" << diff_text(lines) << "\n";
    std::cout << "The idea: " << step.title << " (" << exercise.lesson() << ")\n";
    return 0;
}

int explain(Session& session, const LearnerExercise& exercise, bool is_confirmed) {
    std::string learner_code = learners_text(exercise);
    if (!may_see_solution(session, exercise, is_confirmed,
                          {"explain " + exercise.command_arguments()}))
        return 1;

    show_side_by_side(exercise, learner_code, session.style);
    auto verdict = last_verdict(exercise, hash_source(learner_code));
    if (verdict && verdict->passed()) {
        verdict->source = learner_code;
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
