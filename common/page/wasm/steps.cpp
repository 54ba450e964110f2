// Answers questions about the steps of a kernel: the task for clang, and the steps of a block.
#include <nlohmann/json.hpp>

#include "examiner/block_steps.h"
#include "examiner/render.h"
#include "exercise_question.h"
#include "questions.h"
#include "verdict_answer.h"

namespace coalesce::page {

using nlohmann::json;

json request_for_steps(const json& question) {
    const Exercise& exercise = find_exercise(question);
    const Source source = parse_source(question, exercise);
    json task = source.is_good() ? task_for_clang(source, exercise.size_names(), true)
                                 : json{{"refused", true}};
    add_reference_task(question, exercise, task);
    return task;
}

json record_steps(const json& question) {
    const Exercise& exercise = find_exercise(question);
    const Source source = parse_source(question, exercise);
    const CompilerOutput made = parse_compiler_output(question, question);
    const CompilerOutput reference = parse_reference_output(question, exercise);
    const json nothing;
    PageRunner runner(made, reference, nothing);
    StepsRequest request;
    if (const json block = question.value("block", json()); block.is_number())
        request.block = block.get<std::uint64_t>();
    const BlockSteps steps = coalesce::record_steps(source, exercise, runner, request);
    if (!steps.is_ok()) return {{"problem", terminal_text(steps.problem)}};
    return {{"shape", steps.shape.name()},
            {"mistake", steps.mistake},
            {"steps", json::parse(steps.json)}};
}

}  // namespace coalesce::page
