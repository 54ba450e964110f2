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
std::size_t find_kernel_body(const AssignedExercise& exercise) {
    const std::string& source = exercise.solution;
    std::size_t name_position = source.find(" " + exercise.kernel + "(");
    std::size_t brace_position =
        name_position == std::string::npos ? name_position : source.find('{', name_position);
    if (brace_position == std::string::npos) {
        throw UsageError("teacher/solutions/" + exercise.name + "/kernel.cu has no kernel " +
                         exercise.kernel);
    }
    return brace_position + 1;
}

std::string insert_first_line(const AssignedExercise& exercise, const std::string& line) {
    std::string source = exercise.solution;
    return source.insert(find_kernel_body(exercise), "\n    " + line);
}

// Returns a kernel that is correct only on the public shapes.
std::string solve_only_public_shapes(const AssignedExercise& exercise) {
    std::vector<Shape> shapes = exercise.shapes;
    shapes.push_back(exercise.counted_shape);
    const std::vector<std::string> sizes = exercise.size_names();
    const auto shape_condition = [&](Shape shape) {
        std::string condition;
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            condition +=
                (i == 0 ? "" : " && ") + sizes[i] + " == " + std::to_string(size_at(shape, i));
        }
        return "(" + condition + ")";
    };
    return insert_first_line(exercise,
                             "if (!(" + joined(shapes, " || ", shape_condition) + ")) return;");
}

// Returns a forbidden statement: one that modifies an input of the kernel.
std::string input_modification(const AssignedExercise& exercise) {
    if (!exercise.elements) return "const_cast<float*>(in)[0] = 1.5f;";
    const auto& parameters = exercise.elements->parameters;
    const auto input = std::ranges::find_if(parameters, [](const Parameter& parameter) {
        return parameter.is_array && parameter.is_const;
    });
    if (input == parameters.end()) return "*(volatile int*)nullptr = 1;";
    return "const_cast<" + input->type.name + "*>(" + input->name + ")[0] = " + input->type.name +
           "{};";
}

std::vector<ProofCase> list_cheats(const AssignedExercise& exercise) {
    const auto make_cheat = [&](const std::string& description, const std::string& source) {
        return ProofCase{exercise.name, "cheat: " + description, source, false, ""};
    };
    return {
        make_cheat("correct only for the published shapes", solve_only_public_shapes(exercise)),
        make_cheat("changes its input", insert_first_line(exercise, input_modification(exercise))),
        make_cheat("keeps data from one launch to the next",
                   "__device__ int kept;\n" + insert_first_line(exercise, "atomicAdd(&kept, 1);")),
        make_cheat("reads the id of its multiprocessor",
                   insert_first_line(exercise,
                                     "int where; asm volatile(\"mov.u32 %0, %%smid;\" : "
                                     "\"=r\"(where)); if (where < 0) return;")),
        make_cheat("never ends",
                   insert_first_line(exercise, "for (volatile int i = 0; i >= 0; i = 0) {}")),
        make_cheat("includes a file from this computer",
                   "#include \"/etc/passwd\"\n" + exercise.solution),
    };
}

// Returns the solution of the previous exercise of the course, or "".
std::string find_previous_solution(const std::vector<AssignedExercise>& course,
                                   const AssignedExercise& exercise) {
    if (exercise.elements) return "";
    const auto course_exercise = std::ranges::find(course, exercise.name, &AssignedExercise::name);
    return course_exercise == course.begin() || course_exercise == course.end()
               ? ""
               : std::prev(course_exercise)->solution;
}

std::string read_handout_skeleton(const Assignment& assignment, const AssignedExercise& exercise) {
    return read_file(assignment.folder / "handout" / "exercises" / exercise.name / "kernel.cu");
}

// Reports whether the result is the one that the proof case expects. Sets `outcome_phrase` to a
// description of the result.
bool meets_expectation(const ProofCase& proof, const AssignedExercise& exercise,
                       const Result& result, std::string& outcome_phrase) {
    bool has_full_points = result.points == exercise.possible_points;
    outcome_phrase = std::string(mark_code(result.mark)) +
                     (result.failure_id().empty() ? "" : " " + result.failure_id()) + ", " +
                     format_short(result.points.total()) + " of " +
                     format_short(exercise.possible_points.total());
    if (proof.must_pass) return has_full_points && result.mark == Mark::ok;
    bool reports_expected_failure = proof.failure.empty();
    for (const Failure& failure : result.verdict.failures) {
        reports_expected_failure = reports_expected_failure || failure.id() == proof.failure;
    }
    if (!reports_expected_failure)
        outcome_phrase += " (the course's own check reports " + proof.failure + ")";
    const double max_points = proof.max_share * exercise.possible_points.total();
    if (result.points.total() <= max_points + 1e-9) return !has_full_points;
    outcome_phrase += ", but this kernel may get at most " + format_short(max_points) +
                      " points: give `counters` a larger share of the `points`";
    return false;
}

}  // namespace

std::vector<ProofCase> list_proofs(const Assignment& assignment) {
    std::vector<ProofCase> proofs;
    const std::vector<AssignedExercise> course = course_exercises(course_folder());
    for (const AssignedExercise& exercise : assignment.exercises) {
        exercises::Mutants known_mutants;
        if (!exercise.elements) {
            known_mutants = exercises::read_mutants(assignment.teacher_folder() / "solutions" /
                                                    exercise.name / "mutants.toml");
        }
        proofs.push_back({exercise.name, "the solution", exercise.solution, true, ""});
        proofs.push_back({exercise.name, "the blank", read_handout_skeleton(assignment, exercise),
                          false, known_mutants.blank_failure, kMaxShareWithoutWork});
        if (const std::string previous_source = find_previous_solution(course, exercise);
            !previous_source.empty()) {
            proofs.push_back({exercise.name, "the solution of the previous lesson", previous_source,
                              false, "", kMaxShareWithoutWork});
        }
        for (const exercises::Mutant& mutant : known_mutants.mutants) {
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
    const WorkFolder work(assignment.teacher_folder() / "work");
    JudgeSetup setup = find_judge_setup(work.path, tier);
    std::vector<ProofCase> proofs = list_proofs(assignment);
    std::vector<Task> tasks;
    for (const ProofCase& proof : proofs) tasks.push_back({proof.exercise, proof.source});
    std::vector<std::string> lines(proofs.size());
    std::size_t unproved_count = 0;
    RetryOptions options = retry_options_for(assignment, setup, processes, work.path);
    options.is_quiet = true;
    const auto on_task_end = [&](std::size_t task, TaskEnd end, const std::string& text) {
        if (end != TaskEnd::judged)
            throw InfrastructureError("nothing was verified: " + escape_line(text, 300));
        const ProofCase& proof = proofs[task];
        std::string outcome_phrase;
        const bool is_as_expected = meets_expectation(proof, *assignment.find(proof.exercise),
                                                      result_from_json(text), outcome_phrase);
        unproved_count += is_as_expected ? 0 : 1;
        lines[task] = std::string(is_as_expected ? "  ok       " : "  UNPROVED ") + proof.exercise +
                      "  " + proof.description + ": " + outcome_phrase + "\n";
    };
    judge_with_retries(tasks, options, on_task_end);
    for (const std::string& line : lines) out << line;
    out << (unproved_count == 0
                ? "All " + std::to_string(proofs.size()) + " tests gave the expected result.\n"
                : std::to_string(unproved_count) + " of " + std::to_string(proofs.size()) +
                      " tests gave a different result: see UNPROVED above.\n");
    return unproved_count == 0;
}

}  // namespace coalesce::grader
