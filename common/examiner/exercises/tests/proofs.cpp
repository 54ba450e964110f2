// exercise_proofs -- proves that an exercise is sound: its skeleton fails for the correct reason,
// its solution passes, and each mutant fails as mutants.toml states. The bug hunt must fail as its
// record states, and pass when it is fixed. Exit code: 0 if the exercise is sound, 1 if it is not,
// 2 if it could not be examined.
//
//     exercise_proofs 03_tiled               prove everything
//     exercise_proofs --every 4 03_tiled     try only every fourth mutant
//
// An exercise other than a transpose has no mutants.toml. Its skeleton and its bug hunt must fail,
// and the solutions of both must pass.

#include <cstdio>
#include <exception>
#include <vector>

#include "base/files.h"
#include "examiner/exercises/examined.h"
#include "examiner/exercises/mutants.h"
#include "examiner/render.h"
#include "harness/counters.h"
#include "sample.h"

namespace coalesce::exercises {
namespace {

namespace fs = std::filesystem;

class Proofs {
public:
    int failed = 0, proved = 0;
    /// A cache for the solution's costs, so that they are counted only once, not for each kernel.
    const TemporaryFolder cache;

    void expect(const Exercise& exercise, const std::string& what, const std::string& text,
                const std::string& by_nvcc, const std::string& by_clang) {
        Verdict verdict = examine_source(exercise, make_source(text, what), cache.path);
        const std::string& failure = verdict.compiler.starts_with("clang") ? by_clang : by_nvcc;
        hold(verdict.failure_id() == failure && verdict.passed() == failure.empty(), verdict,
             failure.empty() ? "to pass" : failure);
    }

    void expect(const Exercise& exercise, const std::string& what, const std::string& text,
                const std::string& failure) {
        expect(exercise, what, text, failure, failure);
    }

    void hold(bool is_so, const Verdict& verdict, const std::string& expected) {
        ++(is_so ? proved : failed);
        if (is_so) return;
        std::printf("%s: expected %s, but:\n%s\n", verdict.file.c_str(), expected.c_str(),
                    terminal_text(verdict).c_str());
    }
};

void prove_kernel(const fs::path& solutions, const Mutants& expected, const Exercise& exercise,
                  Sample sample, Proofs& proofs) {
    Skeleton skeleton = parse_skeleton(read_file(solutions / exercise.file()), exercise.file());
    proofs.expect(exercise, "the solution", skeleton.solved_text(), "");
    proofs.expect(exercise, "the skeleton", skeleton.blank_text(), expected.blank_failure,
                  expected.blank_failure_by_clang);
    for (const Mutant& mutant : expected.mutants) {
        if (!sample.takes_next()) continue;
        proofs.expect(exercise, "mutant: " + mutant.name,
                      apply_mutant(mutant, skeleton.solved_text()), mutant.failure);
    }
}

void prove_hunt(const fs::path& solutions, const Mutants& expected, const Exercise& exercise,
                Proofs& proofs) {
    Skeleton hunt = parse_skeleton(read_file(solutions / "hunt.cu"), "hunt.cu");
    proofs.expect(exercise, "the fixed hunt", hunt.solved_text(), "");
    proofs.expect(exercise, "the hunt", hunt.blank_text(), expected.hunt_failure);

    Exercise at_first = exercise;
    at_first.shapes.resize(1);
    Verdict verdict = examine_source(
        at_first, make_source(hunt.blank_text(), "the hunt at the first shape"), proofs.cache.path);
    const bool is_right = !verdict.shapes.empty() && verdict.shapes[0].passed;
    proofs.hold(is_right == expected.passes_unmodified_hunt, verdict,
                expected.passes_unmodified_hunt ? "to be right there" : "to be wrong there");
}

/// Tests one file of an exercise other than a transpose. The skeleton must fail, and the solution
/// must pass.
void prove_beyond(const fs::path& marked, const Exercise& exercise, Proofs& proofs) {
    const std::string name = marked.filename();
    const Skeleton skeleton = parse_skeleton(read_file(marked), name);
    proofs.expect(exercise, "the solution of " + name, skeleton.solved_text(), "");
    const Verdict verdict =
        examine_source(exercise, make_source(skeleton.blank_text(), name), proofs.cache.path);
    proofs.hold(verdict.outcome == Verdict::Outcome::failed, verdict, "to fail");
}

int report(const std::string& name, const Proofs& proofs) {
    std::printf("%s: %d as expected, %d not\n", name.c_str(), proofs.proved, proofs.failed);
    return proofs.failed > 0 ? 1 : 0;
}

int prove(std::vector<std::string> words, char** argv) {
    choose_device_from_environment(argv);
    if (!simulator_library::is_loaded()) {
        // Proofs need the simulated GPU: a real GPU does not count costs, and an out-of-bounds
        // access may end the kernel.
        throw UsageError("proofs are for the simulated GPU: COALESCE_DEVICE=sim");
    }
    const Sample sample = sample_of(words);
    if (words.size() != 1) throw UsageError("one exercise is proved at a time");
    const std::string& name = words[0];
    fs::path solutions = repository() / "solutions" / name;
    Proofs proofs;
    if (is_beyond(name)) {
        prove_beyond(solutions / "kernel.cu", require_exercise(name), proofs);
        if (fs::exists(solutions / "hunt.cu")) {
            prove_beyond(solutions / "hunt.cu", require_exercise(name + " hunt"), proofs);
        }
        return report(name, proofs);
    }
    Mutants expected = read_mutants(solutions / "mutants.toml");
    prove_kernel(solutions, expected, require_exercise(name), sample, proofs);
    if (!expected.hunt_failure.empty()) {
        prove_hunt(solutions, expected, require_exercise(name + " hunt"), proofs);
    }
    return report(name, proofs);
}

}  // namespace
}  // namespace coalesce::exercises

int main(int argc, char** argv) {
    try {
        if (argc >= 2) return coalesce::exercises::prove({argv + 1, argv + argc}, argv);
        std::fputs("Usage: exercise_proofs [--every N] 03_tiled\n", stderr);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
    }
    return 2;
}
