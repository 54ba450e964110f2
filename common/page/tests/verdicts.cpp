// verdicts -- prints the native examiner's verdicts on the kernels of an exercise, and the
// compiler's output for each kernel. examiner.mjs, which tests the examiner in a page, uses the
// same compiler output and expects the same verdicts.
//
//     verdicts 03_tiled [--ptx] [--all]
//     verdicts 03_tiled --steps [--all]
//
// The kernels are the skeleton, the solution, its mutants, the bug hunt and its solution. With
// --all, the kernels in right/ and wrong/ are added. They are compiled through LLVM IR and our
// translator, or with --ptx by clang's own back end. The output is JSON:
// {"cases": [{"name", "exercise", "hunt", "source", "compiler", "said", "ir" or "ptx", "verdict"}]}
// With --steps, the kernels are compiled without optimization, and instead of a verdict, each case
// has the steps of a block: "answer" is {"shape", "mistake", "steps"}, or {"problem"}. steps.mjs
// expects the same steps in a page.
#include <cstdio>
#include <cstring>
#include <iostream>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "examiner/block_steps.h"
#include "examiner/compilers.h"
#include "examiner/elements/element_trials.h"
#include "examiner/examine.h"
#include "examiner/exercises/automatic_mutants.h"
#include "examiner/exercises/examined.h"
#include "examiner/exercises/mutants.h"
#include "examiner/render.h"

namespace coalesce::exercises {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// A runner that uses one compiler, and runs kernels on the simulator in this process. It stores
/// the compiler's first output for the kernel in `made`, and its first output for the solution in
/// `reference`.
class Recorder : public LaunchingRunner {
public:
    Recorder(const FoundCompiler& compiler, bool keeps_variables)
        : compiler_(compiler), keeps_variables_(keeps_variables) {}

    Compiled compile(const Source& source, const Signature& kernel) override {
        constexpr int seconds = 60;
        RawOutput raw =
            run_compiler(compiler_, wrap_source(source.text, dialect_of(compiler_), kernel.sizes),
                         CompileOptions{}.architecture, seconds, keeps_variables_);
        const Compiled compiled = finish_compilation(source, kernel, read_version(compiler_), raw);
        // The learner's kernel is compiled first, and then the solution.
        Json& kept = kernel.kernel == kReferenceKernel ? reference : made;
        if (kept.is_null()) {
            kept = {{"said", raw.output}};
            if (raw.is_good)
                kept[raw.ir.empty() ? "ptx" : "ir"] = raw.ir.empty() ? raw.ptx : raw.ir;
        }
        return compiled;
    }
    Json made, reference;

private:
    FoundCompiler compiler_;
    bool keeps_variables_;
};

class Cases {
public:
    Cases(Compiler kind, bool wants_steps) : wants_steps_(wants_steps) {
        const auto found = find_compiler(kind);
        if (!found) throw UsageError(std::string("there is no ") + name_compiler_kind(kind));
        compiler_ = *found;
    }

    void add(const Exercise& exercise, const std::string& name, const std::string& text) {
        const Source source =
            make_source(text, "exercises/" + exercise.name + "/" + exercise.file());
        Recorder runner(compiler_, wants_steps_);
        Json answer = wants_steps_ ? record(source, exercise, runner)
                                   : examine_as_json(source, exercise, runner);
        Json one = {{"name", name},   {"exercise", exercise.name}, {"hunt", exercise.is_hunt},
                    {"source", text}, {"compiler", "clang"},       {"said", ""}};
        if (!runner.made.is_null()) one.update(runner.made);
        // If the kernel does not compile, the verdict needs no reference.
        if (exercise.elements) {
            one["reference"] = runner.reference.is_null() ? Json{{"said", ""}} : runner.reference;
        }
        one[wants_steps_ ? "answer" : "verdict"] = std::move(answer);
        cases_.push_back(one);
    }

    void print() const {
        const Json all = {{"cases", cases_}};
        std::cout << all.dump(-1, ' ', false, Json::error_handler_t::replace) << "\n";
    }

private:
    static Json examine_as_json(const Source& source, const Exercise& exercise, Recorder& runner) {
        const std::string path = "solutions/" + exercise.name + "/" + exercise.file();
        const Verdict verdict =
            examine(source, exercise, runner, {.solution = read_source(repository() / path, path)});
        return Json::parse(to_json(verdict));
    }

    static Json record(const Source& source, const Exercise& exercise, Recorder& runner) {
        const BlockSteps steps = record_steps(source, exercise, runner, {});
        if (!steps.is_ok()) return {{"problem", terminal_text(steps.problem)}};
        return {{"shape", steps.shape.name()},
                {"mistake", steps.mistake},
                {"steps", Json::parse(steps.json)}};
    }

    FoundCompiler compiler_;
    bool wants_steps_;
    Json cases_ = Json::array();
};

void add_mutants(const Exercise& exercise, const std::string& solved, Cases& cases) {
    if (is_beyond(exercise.name)) {
        for (const AutomaticMutant& mutant : make_mutants(solved)) {
            cases.add(exercise, "mutant: " + mutant.description, mutant.text);
        }
        return;
    }
    const fs::path file = repository() / "solutions" / exercise.name / "mutants.toml";
    for (const Mutant& mutant : read_mutants(file).mutants) {
        cases.add(exercise, "mutant: " + mutant.name, apply_mutant(mutant, solved));
    }
}

void add_course(const std::string& name, Cases& cases) {
    const fs::path solutions = repository() / "solutions" / name;
    const Skeleton kernel = parse_skeleton(read_file(solutions / "kernel.cu"), "kernel.cu");
    const Exercise& exercise = require_exercise(name);
    cases.add(exercise, "the solution", kernel.solved_text());
    cases.add(exercise, "the blank", kernel.blank_text());
    add_mutants(exercise, kernel.solved_text(), cases);
    const Skeleton hunt = parse_skeleton(read_file(solutions / "hunt.cu"), "hunt.cu");
    cases.add(require_exercise(name + " hunt"), "the fixed hunt", hunt.solved_text());
    cases.add(require_exercise(name + " hunt"), "the hunt", hunt.blank_text());
}

void add_learners(const std::string& name, Cases& cases) {
    for (const char* kind : {"right", "wrong"}) {
        std::vector<fs::path> files;
        for (const auto& entry : fs::directory_iterator(repository() / "solutions" / name / kind)) {
            if (entry.path().extension() == ".cu") files.push_back(entry.path());
        }
        std::sort(files.begin(), files.end());
        for (const fs::path& file : files) {
            cases.add(require_exercise(name), std::string(kind) + "/" + file.filename().string(),
                      read_file(file));
        }
    }
}

void run(int argc, char** argv) {
    bool is_ptx = false, is_all = false, wants_steps = false;
    for (int i = 2; i < argc; ++i) {
        is_ptx |= std::strcmp(argv[i], "--ptx") == 0;
        is_all |= std::strcmp(argv[i], "--all") == 0;
        wants_steps |= std::strcmp(argv[i], "--steps") == 0;
    }
    choose_device_from_environment(argv);
    Cases cases(is_ptx ? Compiler::clang : Compiler::clang_ir, wants_steps);
    add_course(argv[1], cases);
    if (is_all) add_learners(argv[1], cases);
    cases.print();
}

}  // namespace
}  // namespace coalesce::exercises

int main(int argc, char** argv) {
    try {
        if (argc < 2)
            throw coalesce::UsageError("Usage: verdicts 03_tiled [--ptx | --steps] [--all]");
        coalesce::exercises::run(argc, argv);
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
}
