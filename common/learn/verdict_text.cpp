#include "learn/verdict_text.h"

#include <algorithm>

#include "examiner/render.h"
#include "harness/text.h"
#include "learn/counted.h"
#include "learn/predict.h"

namespace coalesce::learn {
namespace {

std::string format_command_line(const std::string& words, const std::string& explanation) {
    return format("./learn %-17s  %s\n", words.c_str(), explanation.c_str());
}

std::string format_guess_results(const Record& record) {
    std::string text;
    for (auto& guess : record.guesses) {
        if (!guess.actual || !guess.answered) continue;
        text += wrap("You predicted " + format_figure(guess.answered) + " " +
                     unit_of_counter(guess.counter) + "; " + format_actual(guess) + ".");
    }
    return text.empty() ? "" : "\n" + text;
}

std::string format_pass(const LearnerExercise& exercise, const CheckResult& result,
                        const PassedText& passed_text, const Style& style, TimeShown time) {
    std::string text = check_headline(exercise, result, style) + "\n";
    text +=
        terminal_text(*result.verdict,
                      {.is_bold = style.colour, .has_costs = passed_text.counters, .time = time});
    if (!passed_text.counters) {
        text +=
            "\n" + wrap("What does it cost? Predict the counters, then compare: ./learn predict " +
                        exercise.command_arguments());
    } else if (passed_text.record != nullptr) {
        text += format_guess_results(*passed_text.record);
    }
    text += "\nNext: " + format_command_line("explain " + exercise.command_arguments(),
                                             "compare your kernel with the solution");
    for (const LearnerExercise& next_exercise : passed_text.next) {
        text += "      " + format_command_line("check " + next_exercise.command_arguments(),
                                               next_exercise.relative_file());
    }
    return text + "Again: " + check_command_for(exercise, result) + "\n";
}

}  // namespace

std::string check_command_for(const LearnerExercise& exercise, const CheckResult& result) {
    bool is_usual = result.file.empty() || result.file == exercise.relative_file();
    return "./learn check " + exercise.command_arguments() +
           (is_usual ? "" : " --file " + result.file) +
           (result.uses_llvm_ir ? " --through-ir" : "");
}

std::string describe_outcome(CheckResult::Outcome outcome, const Style& style) {
    if (outcome == CheckResult::passed) return style.paint_good("passed");
    return style.paint_bad(outcome == CheckResult::not_yet ? "not yet" : "could not be examined");
}

std::string check_headline(const LearnerExercise& exercise, const CheckResult& result,
                           const Style& style) {
    std::string location_text;
    if (result.verdict) {
        location_text = result.verdict->is_simulated ? "" : result.verdict->device + ", ";
    }
    return style.paint_strong(exercise.name()) + ": " + describe_outcome(result.outcome, style) +
           "  (" + location_text +
           format("checked in %.1f s)\n", std::max(result.milliseconds / 1000, .1));
}

/// Returns the command that shows the kernel at its mistake, line by line.
static std::string step_command_for(const LearnerExercise& exercise, const CheckResult& result) {
    const bool is_usual = result.file.empty() || result.file == exercise.relative_file();
    return "./learn step " + exercise.command_arguments() +
           (is_usual ? "" : " --file " + result.file);
}

/// Reports whether the mistake is visible while the kernel runs, so that `learn step` can show it.
static bool is_visible_in_run(const CheckResult& result, const LearnerExercise& exercise) {
    if (exercise.is_program() || !result.verdict || result.verdict->failures.empty()) return false;
    const FailureKind kind = result.verdict->failures.front().kind;
    return result.verdict->is_simulated &&
           ((kind >= FailureKind::endless_loop && kind <= FailureKind::grid_exchanged) ||
            (kind >= FailureKind::wrong_result && kind <= FailureKind::wrong_elements));
}

/// Returns the verdict to show. If a change was found that makes the kernel pass, the change
/// replaces the cause that the rules left open.
static Verdict verdict_to_show(Verdict verdict) {
    if (!verdict.passing_change || verdict.failures.empty()) return verdict;
    const PassingChange& change = *verdict.passing_change;
    Failure& failure = verdict.failures.front();
    failure.details =
        wrap("This was found by trying small changes of your text. Without a change, " +
             failure.headline);
    failure.headline = change.sentence;
    failure.place = change.place;
    failure.advice =
        change.before.empty() && change.after.empty()
            ? "Find out why this makes the kernel right before you change it. Another change may "
              "be "
              "better."
            : "Find out why the line is wrong before you change it. Another change may be better.";
    return verdict;
}

std::string format_failure(const LearnerExercise& exercise, const CheckResult& result,
                           const Style& style, bool has_full_map) {
    std::string text = check_headline(exercise, result, style) + "\n";
    std::string again_command = "Again: " + check_command_for(exercise, result);
    if (!result.verdict) return text + wrap(result.problem) + "\n" + again_command + "\n";
    std::string hint = "./learn hint " + exercise.command_arguments();
    bool is_short = again_command.size() + hint.size() < 62;
    if (result.outcome == CheckResult::not_yet) {
        again_command += (is_short ? "      Stuck? " : "\nStuck? ") + hint;
    }
    const int lines = style.lines == 0 ? kVerdictLines : style.lines;
    const Verdict shown_verdict = verdict_to_show(*result.verdict);
    const auto build_text = [&](const std::string& text_after_next) {
        const int headline_lines = 2;
        return text + terminal_text(shown_verdict, {.is_bold = style.colour,
                                                    .lines = lines - headline_lines,
                                                    .has_full_map = has_full_map,
                                                    .text_after_next = text_after_next + "\n"});
    };
    // If not everything fits on the screen, the line about the map is omitted first.
    std::vector<std::string> offers = {""};
    if (is_visible_in_run(result, exercise))
        offers.insert(offers.begin(),
                      "\nStep through the mistake: " + step_command_for(exercise, result));
    if (has_map(*result.verdict) && !has_full_map)
        offers.insert(offers.begin(),
                      offers.front() + "\nFor a map of right and wrong cells, add --map");
    for (const std::string& offer : offers) {
        std::string complete_text = build_text(again_command + offer);
        if (offer.empty() || std::count(complete_text.begin(), complete_text.end(), '\n') <= lines)
            return complete_text;
    }
    return build_text(again_command);
}

std::string format_pass_or_prompt(const LearnerExercise& exercise, const CheckResult& result,
                                  const PassedText& passed_text, const Style& style) {
    std::string text;
    for (TimeShown time : {TimeShown::in_words, TimeShown::in_table, TimeShown::nowhere}) {
        text = format_pass(exercise, result, passed_text, style, time);
        auto lines = std::count(text.begin(), text.end(), '\n');
        if (lines <= (style.lines == 0 ? kVerdictLines : style.lines)) break;
    }
    return text;
}

}  // namespace coalesce::learn
