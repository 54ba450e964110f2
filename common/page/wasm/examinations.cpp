// Answers questions about the course's exercises: verdicts, hints, predictions, reasons and
// pictures.
#include <nlohmann/json.hpp>

#include "examiner/elements/element_trials.h"
#include "examiner/examine.h"
#include "examiner/picture.h"
#include "examiner/predicted_launch.h"
#include "examiner/render.h"
#include "examiner/verdict_codec.h"
#include "exercise_question.h"
#include "harness/counters_json.h"
#include "learn/counted.h"
#include "learn/guess.h"
#include "learn/hint_text.h"
#include "page_runner.h"
#include "questions.h"
#include "time_of_launch.h"
#include "timing/time_line.h"
#include "timing/time_line_svg.h"
#include "verdict_answer.h"

namespace coalesce::page {

using nlohmann::json;

// ---- the task for clang ----

json request_for_compiler(const json& question) {
    const Exercise& exercise = find_exercise(question);
    const Source source = parse_source(question, exercise);
    json task =
        source.is_good() ? task_for_clang(source, exercise.size_names()) : json{{"refused", true}};
    add_reference_task(question, exercise, task);
    return task;
}

// ---- the verdict ----

namespace {

/// The last source that was examined. It is kept, so that a picture of it can be drawn later.
struct LastExamination {
    const Exercise* exercise = nullptr;
    Source source;
    CompilerOutput made, reference;
};
LastExamination last_examination;

void remember_examination(const json& question) {
    const Exercise& exercise = find_exercise(question);
    last_examination = {&exercise, parse_source(question, exercise),
                        parse_compiler_output(question, question),
                        parse_reference_output(question, exercise)};
}

Verdict run_examination(const json& solution, PageRunner& runner) {
    ExamineOptions options;
    // The text of the solution is not needed, because its costs are known.
    if (!solution.is_null())
        options.solution = Source{"solutions/" + exercise_path(*last_examination.exercise), "", {}};
    return examine(last_examination.source, *last_examination.exercise, runner, options);
}

}  // namespace

json examine_source(const json& question) {
    remember_examination(question);
    const std::string path = exercise_path(*last_examination.exercise);
    const json& solution = question.contains("solution") ? question.at("solution") : costs_of(path);
    if (solution.is_null()) {
        throw std::runtime_error("The costs of the solution of " + path +
                                 " are missing: build the book again.");
    }
    PageRunner runner(last_examination.made, last_examination.reference, solution);
    const Verdict verdict = run_examination(solution, runner);
    return verdict_json(verdict, runner.compiled());
}

json cost_of_solution(const json& question) {
    remember_examination(question);
    const json nothing;
    PageRunner runner(last_examination.made, last_examination.reference, nothing);
    Verdict verdict = run_examination(nothing, runner);
    if (!verdict.passed()) throw std::runtime_error(terminal_text(verdict));
    if (verdict.predicted) {
        for (timing::Prediction& launch : verdict.predicted->launches) launch.time_line = {};
    }
    json costs = {
        {"counters", json(counters_to_json(*verdict.counters))},
        {"predicted", verdict.predicted ? json::parse(codec::write(*verdict.predicted)) : json()}};
    if (last_examination.exercise->elements) {
        costs["reference"] = {{"ptx", runner.compiled_reference().ptx}, {"said", ""}};
    }
    return costs;
}

// ---- explanations ----

json hint_for_failure(const json& question) {
    const int level = question.at("level").get<int>();
    if (level < 1 || level > static_cast<int>(kHintLevels.size())) {
        throw std::runtime_error("hints have the levels 1 to " +
                                 std::to_string(kHintLevels.size()));
    }
    const Hint hint = course_of(question).hint_for(find_exercise(question),
                                                   question.at("failure").get<std::string>());
    const std::string text = learn::text_of(hint, level);
    return {{"level", level},
            {"of", kHintLevels.size()},
            {"name", kHintLevels[static_cast<std::size_t>(level - 1)]},
            {"is_sentence", learn::is_sentence(text, level)},
            {"for", learn::name_of(hint)},
            {"text", text}};
}

namespace {

/// Returns the learner's guess, completed with the counters that are already known, as in ./learn
/// predict.
learn::Guess fill_in_facts(const Prediction& prediction, const json& record) {
    learn::Guess guess{.counter = prediction.counter,
                       .answered = {},
                       .actual = {},
                       .tolerance = prediction.tolerance};
    for (const json& one : record.at("guesses")) {
        if (one.at("counter") != prediction.counter) continue;
        if (one.at("said").is_number()) guess.answered = one.at("said").get<double>();
        if (one.at("fact").is_number()) guess.actual = one.at("fact").get<double>();
        guess.label = one.value("label", "");
    }
    const learn::Json counters = learn::Json::parse(record.at("best_counters").dump()),
                      predicted = learn::Json::parse(record.at("predicted").dump());
    if (!guess.actual && counters.is_object()) learn::fill_in_actual(guess, counters, predicted);
    return guess;
}

}  // namespace

json predictions_to_make(const json& question) {
    const Exercise& exercise = find_exercise(question);
    json questions = json::array();
    if (exercise.is_hunt) return {{"questions", questions}};
    for (const Prediction& prediction : exercise.predictions) {
        const learn::Guess guess = fill_in_facts(prediction, question.at("record"));
        questions.push_back(
            {{"counter", prediction.counter},
             {"question", prediction.question},
             {"words", learn::unit_of_counter(prediction.counter)},
             {"said", guess.answered ? json(*guess.answered) : json()},
             {"fact", guess.actual ? json(*guess.actual) : json()},
             {"label", guess.label},
             {"is_right", guess.answered && guess.actual ? json(guess.is_right()) : json()},
             {"text", guess.actual ? json(learn::format_actual(guess)) : json()}});
    }
    return {{"questions", questions}};
}

namespace {

std::optional<Verdict> parse_verdict(const json& question) {
    const json verdict = question.value("verdict", json());
    if (verdict.is_null()) return std::nullopt;
    return verdict_from_json(verdict.dump());
}

}  // namespace

json explain_time(const json& question) {
    const std::optional<Verdict> verdict = parse_verdict(question);
    if (!verdict || !verdict->predicted) {
        return {{"time", nullptr}, {"time_line", ""}, {"svg", ""}};
    }
    const timing::Prediction& launch = verdict->predicted->longest();
    return {{"time",
             json::parse(simulator::explanation_json(describe_prediction(*verdict->predicted)))},
            {"time_line", timing::time_line_text(launch)},
            {"svg", timing::time_line_svg(launch)}};
}

json draw_picture(const json& question) {
    if (last_examination.exercise != &find_exercise(question)) {
        throw std::runtime_error("there is no picture, because no kernel has been examined yet");
    }
    const json nothing;
    PageRunner runner(last_examination.made, last_examination.reference, nothing);
    const Picture picture = draw_warp_picture(
        last_examination.source, *last_examination.exercise, runner,
        {.shape = {question.at("rows").get<int>(), question.at("cols").get<int>()},
         .block = question.at("block").get<std::uint64_t>(),
         .warp = question.at("warp").get<unsigned>()});
    if (!picture.is_ok()) return {{"problem", terminal_text(picture.problem)}};
    return {{"text", picture.text()}, {"svg", picture.svg()}};
}

}  // namespace coalesce::page
