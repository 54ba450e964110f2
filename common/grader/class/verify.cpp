// Generates the proof cases of an assignment, which are kernels with a known verdict, and judges
// them.

#include <unistd.h>

#include <algorithm>
#include <ostream>

#include "base/text.h"
#include "examiner/exercises/mutants.h"
#include "examiner/safe_text.h"
#include "grader/class/assignment.h"
#include "grader/class/results.h"
#include "grader/class/run.h"
#include "grader/store/errors.h"
#include "grader/store/files.h"

namespace coalesce::grader {
namespace fs = std::filesystem;
namespace {

// Returns the offset of the kernel's body, just after its opening brace.
std::size_t find_kernel_body(const Assigned& exercise) {
    const std::string& source = exercise.solution;
    std::size_t name = source.find(" " + exercise.kernel + "(");
    std::size_t brace = name == std::string::npos ? name : source.find('{', name);
    if (brace == std::string::npos) {
        throw UsageError("teacher/solutions/" + exercise.name + "/kernel.cu has no kernel " +
                         exercise.kernel);
    }
    return brace + 1;
}

std::string insert_first_line(const Assigned& exercise, const std::string& line) {
    std::string source = exercise.solution;
    return source.insert(find_kernel_body(exercise), "\n    " + line);
}

// Returns a kernel that is correct only on the public shapes.
std::string kernel_right_on_public_shapes(const Assigned& exercise) {
    std::vector<Shape> shapes = exercise.shapes;
    shapes.push_back(exercise.counted);
    const std::vector<std::string> sizes = exercise.size_names();
    const auto is_it = [&](Shape shape) {
        std::string test;
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            test += (i == 0 ? "" : " && ") + sizes[i] + " == " + std::to_string(size_at(shape, i));
        }
        return "(" + test + ")";
    };
    return insert_first_line(exercise, "if (!(" + joined(shapes, " || ", is_it) + ")) return;");
}

// Returns a forbidden statement: one that modifies an input of the kernel.
std::string change_of_input(const Assigned& exercise) {
    if (!exercise.elements) return "const_cast<float*>(in)[0] = 1.5f;";
    const auto& parameters = exercise.elements->parameters;
    const auto input = std::ranges::find_if(
        parameters, [](const Parameter& one) { return one.is_array && one.is_const; });
    if (input == parameters.end()) return "*(volatile int*)nullptr = 1;";
    return "const_cast<" + input->type.name + "*>(" + input->name + ")[0] = " + input->type.name +
           "{};";
}

std::vector<ProofCase> list_cheats(const Assigned& exercise) {
    const auto cheat = [&](const std::string& what, const std::string& source) {
        return ProofCase{exercise.name, "cheat: " + what, source, false, ""};
    };
    return {
        cheat("correct only for the published shapes", kernel_right_on_public_shapes(exercise)),
        cheat("changes its input", insert_first_line(exercise, change_of_input(exercise))),
        cheat("keeps data from one launch to the next",
              "__device__ int kept;\n" + insert_first_line(exercise, "atomicAdd(&kept, 1);")),
        cheat("reads the id of its multiprocessor",
              insert_first_line(exercise,
                                "int where; asm volatile(\"mov.u32 %0, %%smid;\" : "
                                "\"=r\"(where)); if (where < 0) return;")),
        cheat("never ends",
              insert_first_line(exercise, "for (volatile int i = 0; i >= 0; i = 0) {}")),
        cheat("includes a file from this computer",
              "#include \"/etc/passwd\"\n" + exercise.solution),
    };
}

// Returns the solution of the previous exercise of the course, or "".
std::string previous_solution(const std::vector<Assigned>& course, const Assigned& exercise) {
    if (exercise.elements) return "";
    const auto found = std::ranges::find(course, exercise.name, &Assigned::name);
    return found == course.begin() || found == course.end() ? "" : std::prev(found)->solution;
}

std::string read_handout_skeleton(const Assignment& assignment, const Assigned& exercise) {
    return read_file(assignment.folder / "handout" / "exercises" / exercise.name / "kernel.cu");
}

// Reports whether the result is the one that the proof case expects. Sets `said` to a description
// of the result.
bool meets_expectation(const ProofCase& proof, const Assigned& exercise, const Result& result,
                       std::string& said) {
    bool is_full = result.points == exercise.possible;
    said = std::string(code_of(result.mark)) +
           (result.failure_id().empty() ? "" : " " + result.failure_id()) + ", " +
           format_short(result.points.total()) + " of " + format_short(exercise.possible.total());
    if (proof.must_pass) return is_full && result.mark == Mark::ok;
    bool is_named = proof.failure.empty();
    for (const Failure& failure : result.verdict.failures) {
        is_named = is_named || failure.id() == proof.failure;
    }
    if (!is_named) said += " (the course's own check reports " + proof.failure + ")";
    const double most = proof.max_share * exercise.possible.total();
    if (result.points.total() <= most + 1e-9) return !is_full;
    said += ", but this kernel may get at most " + format_short(most) +
            " points: give `counters` a larger share of the `points`";
    return false;
}

}  // namespace

std::vector<ProofCase> list_proofs(const Assignment& assignment) {
    std::vector<ProofCase> proofs;
    const std::vector<Assigned> course = course_exercises(repository());
    for (const Assigned& exercise : assignment.exercises) {
        exercises::Mutants known;
        if (!exercise.elements) {
            known = exercises::read_mutants(assignment.teacher() / "solutions" / exercise.name /
                                            "mutants.toml");
        }
        proofs.push_back({exercise.name, "the solution", exercise.solution, true, ""});
        proofs.push_back({exercise.name, "the blank", read_handout_skeleton(assignment, exercise),
                          false, known.blank_failure, kMaxShareWithoutWork});
        if (const std::string before = previous_solution(course, exercise); !before.empty()) {
            proofs.push_back({exercise.name, "the solution of the previous lesson", before, false,
                              "", kMaxShareWithoutWork});
        }
        for (const exercises::Mutant& mutant : known.mutants) {
            proofs.push_back({exercise.name, "mutant: " + mutant.name,
                              exercises::apply_mutant(mutant, exercise.solution), false,
                              mutant.failure});
        }
        std::ranges::move(list_cheats(exercise), std::back_inserter(proofs));
    }
    return proofs;
}

bool verify_assignment(const Assignment& assignment, const JudgingProcesses& processes,
                       std::optional<Tier> tier, std::ostream& out) {
    const FileLock lock = lock_assignment(assignment);
    const WorkFolder work(assignment.teacher() / "work");
    JudgeSetup setup = find_judge_setup(work.path, tier);
    std::vector<ProofCase> proofs = list_proofs(assignment);
    std::vector<Task> tasks;
    for (const ProofCase& proof : proofs) tasks.push_back({proof.exercise, proof.source});
    std::vector<std::string> lines(proofs.size());
    std::size_t unproved = 0;
    RetryOptions options = retry_options_for(assignment, setup, processes, work.path);
    options.is_quiet = true;
    const auto told = [&](std::size_t task, TaskEnd end, const std::string& text) {
        if (end != TaskEnd::judged)
            throw InfrastructureError("nothing was verified: " + escape_line(text, 300));
        const ProofCase& proof = proofs[task];
        std::string said;
        const bool is_right = meets_expectation(proof, *assignment.find(proof.exercise),
                                                result_from_json(text), said);
        unproved += is_right ? 0 : 1;
        lines[task] = std::string(is_right ? "  ok       " : "  UNPROVED ") + proof.exercise +
                      "  " + proof.description + ": " + said + "\n";
    };
    judge_with_retries(tasks, options, told);
    for (const std::string& line : lines) out << line;
    out << (unproved == 0
                ? "All " + std::to_string(proofs.size()) + " tests gave the expected result.\n"
                : std::to_string(unproved) + " of " + std::to_string(proofs.size()) +
                      " tests gave a different result: see UNPROVED above.\n");
    return unproved == 0;
}

}  // namespace coalesce::grader
