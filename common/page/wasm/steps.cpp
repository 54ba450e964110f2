// Answers questions about the steps of a kernel: the task for clang, and the steps of a block.
#include <nlohmann/json.hpp>

#include "examiner/block_steps.h"
#include "examiner/clang_ir.h"
#include "examiner/compiled_from.h"
#include "examiner/course/course.h"
#include "examiner/render.h"
#include "page/wasm/course_files.h"
#include "questions.h"

namespace coalesce::page {
namespace {

using nlohmann::json;

const Exercise& exercise_of(const json& question) {
    static const course::Course course = course::parse_course(course_texts());
    const std::string name = question.at("exercise").get<std::string>();
    const bool is_hunt = question.value("hunt", false);
    const course::Step* step = course.find(name);
    if (step && !is_hunt && step->exercise) return *step->exercise;
    if (step && is_hunt && step->hunt) return *step->hunt;
    throw std::runtime_error("the course has no exercise " + name);
}

Source source_of(const json& question, const Exercise& exercise) {
    return make_source(question.at("source").get<std::string>(),
                       "exercises/" + exercise.name + "/" + exercise.file());
}

/// A runner for the kernels in the output of the page's compiler.
class StepsRunner : public LaunchingRunner {
public:
    explicit StepsRunner(const json& question)
        : compiler_(question.at("compiler").get<std::string>()) {
        const json& ir = question.at("ir");
        raw_.is_good = ir.is_string();
        raw_.output = question.at("said").get<std::string>();
        if (raw_.is_good) raw_.ir = ir.get<std::string>();
    }
    Compiled compile(const Source& source, const Signature& kernel) override {
        return finish_compilation(source, kernel, add_translator_name(compiler_), raw_);
    }

private:
    std::string compiler_;
    RawOutput raw_;
};

}  // namespace

json request_for_steps(const json& question) {
    const Exercise& exercise = exercise_of(question);
    const Source source = source_of(question, exercise);
    if (!source.is_good()) return {{"refused", true}};
    const ClangRequest asked = clang_ir_request(source, exercise.size_names(), true);
    return {{"arguments", asked.arguments},
            {"files", {{asked.input, asked.text}}},
            {"output", asked.output},
            {"headers", asked.headers}};
}

json record_steps(const json& question) {
    const Exercise& exercise = exercise_of(question);
    const Source source = source_of(question, exercise);
    StepsRunner runner(question);
    StepsRequest request;
    if (const json block = question.value("block", json()); block.is_number())
        request.block = block.get<std::uint64_t>();
    const BlockSteps steps = coalesce::record_steps(source, exercise, runner, request);
    if (!steps.ok()) return {{"problem", terminal_text(steps.problem)}};
    return {{"shape", steps.shape.name()},
            {"mistake", steps.mistake},
            {"steps", json::parse(steps.json)}};
}

}  // namespace coalesce::page
