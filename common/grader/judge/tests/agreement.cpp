// grader_agreement tests that the grader and the learner's own check, which both use the examiner,
// report the same failure at the same line for every kernel. The kernels are the mutants of an
// exercise's solution, and the files in the folders right/ and wrong/ of the exercise.
//
//     grader_agreement 03_tiled
//         Exit code: 0 if all reports agree, 1 if not, 2 on an error, 77 without a sandbox.

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <map>

#include "base/files.h"
#include "examiner/examine.h"
#include "examiner/exercises/mutants.h"
#include "grader/judge/judge.h"
#include "harness/device.h"

namespace coalesce::grader {
namespace {

namespace fs = std::filesystem;

const fs::path repository = COALESCE_REPOSITORY;

std::map<std::string, std::string> kernels_of(const AssignedExercise& exercise) {
    std::map<std::string, std::string> kernels = {{"the solution", exercise.solution}};
    const fs::path mutants = repository / "solutions" / exercise.name / "mutants.toml";
    for (const exercises::Mutant& mutant : exercises::read_mutants(mutants).mutants) {
        kernels["mutant: " + mutant.name] = exercises::apply_mutant(mutant, exercise.solution);
    }
    for (const char* kind : {"right", "wrong"}) {
        const fs::path folder = repository / "solutions" / exercise.name / kind;
        for (const auto& entry : fs::directory_iterator(folder)) {
            kernels[std::string(kind) + "/" + entry.path().filename().string()] =
                read_file(entry.path());
        }
    }
    return kernels;
}

std::string told(const Verdict& verdict) {
    if (verdict.failures.empty()) return verdict.passed() ? "passed" : "nothing";
    const Failure& first = verdict.failures.front();
    // Both the headline and the details contain figures of the predicted time, so compare both.
    if (first.kind == FailureKind::too_slow_predicted) return first.headline + first.details;
    return verdict.failure_id() + " at line " + std::to_string(first.place.line);
}

/// Reports whether one of the grader's own rules rejected the kernel. Such kernels are not
/// compared.
bool is_rule_of_grader(const Verdict& verdict) {
    return verdict.failure_id().starts_with("ptx-");
}

int compare(const std::string& name, char** argv) {
    LocalRunner::prepare_process();
    choose_device(DeviceChoice::simulator, argv);
    std::vector<AssignedExercise> course = course_exercises(repository);
    const auto found = std::find_if(course.begin(), course.end(),
                                    [&](const AssignedExercise& one) { return one.name == name; });
    if (found == course.end()) throw std::runtime_error("the course has no exercise " + name);
    AssignedExercise exercise = *found;
    exercise.allow = {"printf"};
    Judge judge({});
    if (judge.tier() == Tier::none) {
        std::puts("skipped: no sandbox works here");
        return 77;
    }
    // Both checks share a cache, so that the costs of the solution are counted only once.
    const TemporaryFolder cache;
    int differ = 0, refused = 0, all = 0;
    for (const auto& [what, text] : kernels_of(exercise)) {
        ++all;
        const Source source = make_source(text, "kernel.cu");
        LocalRunner runner({.cache = cache.path});
        const Verdict checked = examine(source, exercise, runner,
                                        {.solution = make_source(exercise.solution, "solution")});
        const Result graded = judge.judge(text, exercise, Secret{7});
        refused += is_rule_of_grader(graded.verdict);
        if (told(checked) == told(graded.verdict) || is_rule_of_grader(graded.verdict)) continue;
        ++differ;
        std::printf("%s: check says %s, the grader %s %s\n", what.c_str(), told(checked).c_str(),
                    told(graded.verdict).c_str(), graded.problem.c_str());
    }
    std::printf("%s: %d kernels, %d refused by the grader's rules, %d told differently\n",
                name.c_str(), all, refused, differ);
    return differ > 0 ? 1 : 0;
}

}  // namespace
}  // namespace coalesce::grader

int main(int argc, char** argv) {
    try {
        if (argc == 2) return coalesce::grader::compare(argv[1], argv);
        std::fputs("Usage: grader_agreement 03_tiled\n", stderr);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
    }
    return 2;
}
