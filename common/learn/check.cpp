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

const std::string kAll = "all";

CheckRequest request_for(const LearnerExercise& exercise, const CheckArguments& words) {
    // The simulator checks the kernel and counts its costs. A GPU is used only to measure the time.
    std::string device = words.device == "gpu" ? "gpu" : "sim";
    return {.exercise = exercise,
            .file = words.file,
            .device = device,
            .seconds = words.seconds,
            // The pages of the book cannot compile whole programs, so do not compile whole programs
            // through LLVM IR.
            .uses_llvm_ir = words.uses_llvm_ir && !exercise.is_program(),
            .as_graded = words.as_graded};
}

void validate_arguments(const CheckArguments& words) {
    if (words.device != "auto" && words.device != "gpu" && words.device != "sim") {
        throw UsageError("there is no device \"" + words.device + "\"; choose auto, gpu or sim");
    }
    if (words.seconds < 1 || words.seconds > 3600) {
        throw UsageError("--seconds takes a whole number from 1 to 3600");
    }
    require_file(words.file);
    if (words.exercise == kAll && !words.file.empty()) {
        throw UsageError("--file needs the number of a single exercise: ./learn check 03 --file " +
                         words.file);
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

int print_results(const std::vector<Json>& results, int code) {
    print_json(Json{{"format", 1}, {"passed", code == 0}, {"results", results}});
    return code;
}

// Prints the full result of a check. The result has already been stored.
void show(Session& session, const LearnerExercise& exercise, const CheckArguments& words,
          const CheckResult& result) {
    if (result.outcome != CheckResult::passed) {
        std::cout << format_failure(exercise, result, session.style, words.has_full_map);
        return;
    }
    bool is_own_file = words.file.empty();
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
    PassedText more = collect_passed_text(session, exercise, record);
    if (!is_own_file) more.record = nullptr;
    more.counters = true;
    std::cout << format_pass_or_prompt(exercise, result, more, session.style);
    if (words.device != "sim")
        std::cout << std::flush << format_bandwidth(exercise, words.file, words.device == "gpu");
}

int check_one(Session& session, const CheckArguments& words) {
    LearnerExercise exercise = session.exercise(words.exercise, words.is_hunt);
    CheckResult result = check(request_for(exercise, words));
    if (words.file.empty()) record_check(session, exercise, result);
    if (words.json) return print_results({to_json_result(exercise, result)}, result.outcome);
    show(session, exercise, words, result);
    return result.outcome;
}

std::string format_check_line(const LearnerExercise& exercise, const CheckResult& result,
                              const Style& style) {
    std::string name = exercise.name();
    name.resize(20, ' ');
    const std::string text = name + describe_outcome(result.outcome, style);
    if (result.outcome == CheckResult::passed) return text + "\n";
    if (result.outcome == CheckResult::not_yet) return text + "   " + result.failure() + "\n";
    std::string why = result.verdict && !result.verdict->failures.empty()
                          ? result.verdict->failures.front().headline
                          : result.problem;
    return text + "\n" + wrap(why, "    ");
}

int check_all(Session& session, const CheckArguments& words) {
    std::vector<Json> results;
    int passed = 0, not_examined = 0, count = 0;
    for (auto& exercise : list_exercises(session.course)) {
        if (words.is_hunt && !exercise.step->hunt) continue;
        LearnerExercise one = {exercise.step, words.is_hunt};
        CheckResult result = check(request_for(one, words));
        record_check(session, one, result);
        ++count;
        passed += result.outcome == CheckResult::passed;
        not_examined += result.outcome == CheckResult::not_examined;
        if (words.json) results.push_back(to_json_result(one, result));
        if (!words.json) std::cout << format_check_line(one, result, session.style) << std::flush;
    }
    int code = not_examined > 0 || count == 0 ? 2 : passed < count ? 1 : 0;
    if (words.json) return print_results(results, code);
    std::cout << "\n" << passed << " of " << count << " passed.";
    if (code == 1) std::cout << " ./learn check 03 shows the full report on exercise 03.";
    std::cout << "\n";
    return code;
}

}  // namespace

int check(Session& session, const CheckArguments& words) {
    validate_arguments(words);
    return words.exercise == kAll ? check_all(session, words) : check_one(session, words);
}

void update_record(Record& record, const LearnerExercise& exercise, const CheckResult& result) {
    if (result.outcome == CheckResult::not_examined) return;
    record.checks++;
    record.last_hash = result.hash();
    record.last_failure = result.failure();
    if (result.outcome != CheckResult::passed) return;
    record.passed_hash = result.hash();
    record.passed_at = time_now();
    if (!result.verdict->counters) return;
    if (const auto& predicted = result.verdict->predicted) {
        record.predicted = predicted_fact(*predicted);
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
        state.current = exercise.name();
        update_record(state.records[exercise.name()], exercise, result);
    });
}

PassedText collect_passed_text(const Session& session, const LearnerExercise& exercise,
                               const Record& record) {
    PassedText more;
    more.record = &record;
    if (!exercise.is_hunt && exercise.step->hunt) more.next.push_back({exercise.step, true});
    const LearnerExercise behind = exercise_after(session.course, exercise);
    if (behind.step != nullptr) more.next.push_back(behind);
    return more;
}

}  // namespace coalesce::learn
