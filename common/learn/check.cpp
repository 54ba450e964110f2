#include "learn/check.h"

#include <iostream>

#include "base/enum_names.h"
#include "base/errors.h"
#include "harness/counters_json.h"
#include "harness/text.h"
#include "learn/counted.h"
#include "learn/measure.h"
#include "learn/paths.h"
#include "learn/predict.h"

namespace coalesce::learn {
namespace {

const std::string kAllExercises = "all";

CheckRequest make_check_request(const LearnerExercise& exercise, const CheckArguments& arguments) {
    // The simulator checks the kernel and counts its costs. A GPU is used only to measure the time.
    std::string device = arguments.device == "gpu" ? "gpu" : "sim";
    return {.exercise = exercise,
            .file = arguments.file,
            .device = device,
            .seconds = arguments.seconds,
            // The pages of the book cannot compile whole programs, so do not compile whole programs
            // through LLVM IR.
            .uses_llvm_ir = arguments.uses_llvm_ir && !exercise.is_program(),
            .uses_grader_rules = arguments.uses_grader_rules};
}

void validate_arguments(const CheckArguments& arguments) {
    if (arguments.device != "auto" && arguments.device != "gpu" && arguments.device != "sim") {
        throw UsageError("there is no device \"" + arguments.device +
                         "\"; choose auto, gpu or sim");
    }
    if (arguments.seconds < 1 || arguments.seconds > 3600) {
        throw UsageError("--seconds takes a whole number from 1 to 3600");
    }
    require_file(arguments.file);
    if (arguments.exercise == kAllExercises && !arguments.file.empty()) {
        throw UsageError("--file needs the number of a single exercise: ./learn check 03 --file " +
                         arguments.file);
    }
}

Json to_json_result(const LearnerExercise& exercise, const CheckResult& result) {
    return {{"exercise", exercise.step->name},
            {"hunt", exercise.is_hunt},
            {"outcome", dashed_name(result.outcome)},
            {"problem", result.problem},
            {"milliseconds", result.milliseconds},
            {"verdict", result.verdict ? Json::parse(to_json(*result.verdict)) : Json(nullptr)}};
}

int print_results(const std::vector<Json>& results, int exit_code) {
    print_json(Json{{"format", 1}, {"passed", exit_code == 0}, {"results", results}});
    return exit_code;
}

// Prints the full result of a check. The result has already been stored.
void show_result(Session& session, const LearnerExercise& exercise, const CheckArguments& arguments,
                 const CheckResult& result) {
    if (result.outcome != CheckResult::passed) {
        std::cout << format_failure(exercise, result, session.style, arguments.has_full_map);
        return;
    }
    bool is_own_file = arguments.file.empty();
    Record record = session.progress.read().record(exercise.name());
    if (is_own_file && can_ask() && has_open_questions(exercise, record)) {
        std::cout << check_headline(exercise, result, session.style)
                  << "\nPredict the costs before you see them:\n";
        ask_predictions(session, exercise);
        std::cout << "\n";
    }
    if (is_own_file) {
        record = session.progress
                     .update([&](State& state) {
                         compare_guesses(state.records[exercise.name()], exercise, true);
                     })
                     .record(exercise.name());
    }
    PassedText passed_text = collect_passed_text(session, exercise, record);
    if (!is_own_file) passed_text.record = nullptr;
    passed_text.counters = true;
    std::cout << format_pass_or_prompt(exercise, result, passed_text, session.style);
    if (arguments.device != "sim")
        std::cout << std::flush
                  << format_bandwidth(exercise, arguments.file, arguments.device == "gpu");
}

// Examines a kernel. If the cause of its failure remains open, searches for a change that makes the
// kernel pass. On a terminal, prints a message if the search takes long.
CheckResult check_with_search(const Session& session, const LearnerExercise& exercise,
                              const CheckArguments& arguments) {
    CheckRequest request = make_check_request(exercise, arguments);
    request.searches = !request.uses_llvm_ir && request.device == "sim";
    Check running_check(request);
    if (arguments.prints_json || !session.style.can_clear_screen ||
        !running_check.wait_for_long_search()) {
        return running_check.finish();
    }
    std::cout << kSearchMessage << std::flush;
    CheckResult result = running_check.finish();
    std::cout << "\r\033[K";
    return result;
}

int check_one(Session& session, const CheckArguments& arguments) {
    LearnerExercise exercise = session.exercise(arguments.exercise, arguments.is_hunt);
    CheckResult result = check_with_search(session, exercise, arguments);
    if (arguments.file.empty()) record_check(session, exercise, result);
    if (arguments.prints_json)
        return print_results({to_json_result(exercise, result)}, result.outcome);
    show_result(session, exercise, arguments, result);
    return result.outcome;
}

std::string format_check_line(const LearnerExercise& exercise, const CheckResult& result,
                              const Style& style) {
    std::string padded_name = exercise.name();
    padded_name.resize(20, ' ');
    const std::string text = padded_name + describe_outcome(result.outcome, style);
    if (result.outcome == CheckResult::passed) return text + "\n";
    if (result.outcome == CheckResult::not_yet) return text + "   " + result.failure() + "\n";
    std::string failure_text = result.verdict && !result.verdict->failures.empty()
                                   ? result.verdict->failures.front().headline
                                   : result.problem;
    return text + "\n" + wrap(failure_text, "    ");
}

int check_all(Session& session, const CheckArguments& arguments) {
    std::vector<Json> results;
    int passed_count = 0, not_examined_count = 0, exercise_count = 0;
    for (auto& exercise : list_exercises(session.course)) {
        if (arguments.is_hunt && !exercise.step->hunt) continue;
        LearnerExercise checked_exercise = {exercise.step, arguments.is_hunt};
        CheckResult result = check(make_check_request(checked_exercise, arguments));
        record_check(session, checked_exercise, result);
        ++exercise_count;
        passed_count += result.outcome == CheckResult::passed;
        not_examined_count += result.outcome == CheckResult::not_examined;
        if (arguments.prints_json) results.push_back(to_json_result(checked_exercise, result));
        if (!arguments.prints_json)
            std::cout << format_check_line(checked_exercise, result, session.style) << std::flush;
    }
    int exit_code = not_examined_count > 0 || exercise_count == 0 ? 2
                    : passed_count < exercise_count               ? 1
                                                                  : 0;
    if (arguments.prints_json) return print_results(results, exit_code);
    std::cout << "\n" << passed_count << " of " << exercise_count << " passed.";
    if (exit_code == 1) std::cout << " ./learn check 03 shows the full report on exercise 03.";
    std::cout << "\n";
    return exit_code;
}

}  // namespace

int check(Session& session, const CheckArguments& arguments) {
    validate_arguments(arguments);
    return arguments.exercise == kAllExercises ? check_all(session, arguments)
                                               : check_one(session, arguments);
}

void update_record(Record& record, const LearnerExercise& exercise, const CheckResult& result) {
    if (result.outcome == CheckResult::not_examined) return;
    record.check_count++;
    record.last_hash = result.hash();
    record.last_failure = result.failure();
    if (result.outcome != CheckResult::passed) return;
    record.passed_hash = result.hash();
    record.passed_at = time_now();
    if (!result.verdict->counters) return;
    if (const auto& prediction = result.verdict->predicted) {
        record.predicted = predicted_fact(*prediction);
    }
    Json counters = counters_to_json(*result.verdict->counters);
    if (record.best_counters.is_null() || total_cost(counters) < total_cost(record.best_counters)) {
        record.best_counters = counters;
    }
    compare_guesses(record, exercise, false);
}

State record_check(Session& session, const LearnerExercise& exercise, const CheckResult& result) {
    if (result.outcome == CheckResult::not_examined) return session.progress.read();
    return session.progress.update([&](State& state) {
        state.current_exercise = exercise.name();
        update_record(state.records[exercise.name()], exercise, result);
    });
}

PassedText collect_passed_text(const Session& session, const LearnerExercise& exercise,
                               const Record& record) {
    PassedText passed_text;
    passed_text.record = &record;
    if (!exercise.is_hunt && exercise.step->hunt) passed_text.next.push_back({exercise.step, true});
    const LearnerExercise following_exercise = exercise_after(session.course, exercise);
    if (following_exercise.step != nullptr) passed_text.next.push_back(following_exercise);
    return passed_text;
}

}  // namespace coalesce::learn
