// Judges one chunk of a plan. Chunks may run on different computers.

#include <unistd.h>

#include <ostream>

#include "examiner/safe_text.h"
#include "grader/class/plan.h"
#include "grader/class/rounds.h"
#include "grader/class/worker.h"
#include "grader/store/errors.h"
#include "grader/store/files.h"
#include "grader/store/sha256.h"
#include "harness/text.h"

namespace coalesce::grader {
namespace fs = std::filesystem;
namespace {

// Returns this process's work folder. Its name contains the name of the computer, because computers
// may share the parent folder.
fs::path work_folder_for(const Plan& plan) {
    char host[256] = {};
    (void)gethostname(host, sizeof host - 1);
    return plan.folder / "work" / (std::string(host) + "-" + std::to_string(getpid()));
}

void require_same_assignment(const Assignment& assignment, const Plan& plan) {
    if (plan.identity == assignment_identity(assignment)) return;
    throw UsageError(
        "the plan does not match the assignment on this computer: the manifest, hidden shapes, "
        "solutions and key must be the same as when the plan was made");
}

// Checks that this computer has the same grader and compiler as the one that made the plan, so that
// grades do not depend on the computer.
void require_same_setup(const Plan& plan, const JudgeSetup& local_setup) {
    std::string mismatch = local_setup.grader != plan.setup.grader         ? "grader"
                           : local_setup.toolchain != plan.setup.toolchain ? "compiler"
                                                                           : "";
    if (mismatch.empty()) return;
    throw InfrastructureError(
        "this computer does not have the same " + mismatch +
        " as the computer that made the plan, so nothing was judged; use the same "
        "build and the same CUDA toolkit on all computers");
}

std::string read_planned_source(const Plan& plan, const Entry& task) {
    std::string bytes = read_file(plan.folder / "sources" / task.source);
    if (sha256_hex(bytes) == task.source) return bytes;
    throw InfrastructureError("sources/" + task.source + " has changed since the plan was made");
}

// Stores a result. If a different result is already stored under this key, throws
// InfrastructureError.
void store_result(const Assignment& assignment, const Plan& plan, const std::string& key,
                  const std::string& result) {
    std::string sealed_result = seal_result(assignment, key, result);
    if (write_if_absent(plan.result_file(key), sealed_result, 0600)) return;
    if (read_file(plan.result_file(key)) == sealed_result) return;
    throw InfrastructureError(
        "grading the same submission a second time gave a different result (key " +
        key.substr(0, 12) + "); the first result is kept. Please report this bug");
}

}  // namespace

void judge_chunk(const Assignment& assignment, const Plan& plan, std::size_t chunk,
                 const JudgingProcesses& processes, std::ostream& out) {
    if (plan.chunks.empty()) {
        throw UsageError(
            "the plan has no chunks, because every submission already has a result; merge the "
            "plan");
    }
    if (chunk < 1 || chunk > plan.chunks.size()) {
        throw UsageError("the plan has chunks 1 to " + std::to_string(plan.chunks.size()));
    }
    require_same_assignment(assignment, plan);
    std::vector<Entry> planned_entries = plan.missing_entries(chunk);
    std::string message_prefix = "chunk " + std::to_string(chunk) + ": ";
    if (planned_entries.empty()) {
        out << message_prefix << "all results already exist\n";
        return;
    }
    const WorkFolder work(work_folder_for(plan));
    JudgeSetup setup = find_judge_setup(work.path, plan.setup.tier);
    require_same_setup(plan, setup);
    std::vector<Task> tasks;
    for (const Entry& task : planned_entries)
        tasks.push_back({task.exercise, read_planned_source(plan, task)});
    const auto on_task_end = [&](std::size_t task, TaskEnd end, const std::string& text) {
        if (end == TaskEnd::failed) return;
        const bool is_judged = end == TaskEnd::judged;
        store_result(assignment, plan, planned_entries[task].key,
                     is_judged ? text : to_json(make_fault_result(name_of(setup.tier))));
    };
    const JudgingOutcome outcome = judge_with_retries(
        tasks, retry_options_for(assignment, setup, processes, work.path), on_task_end);
    std::size_t missing_entries = plan.missing_entries(chunk).size();
    if (missing_entries > 0) {
        throw InfrastructureError(
            message_prefix + std::to_string(missing_entries) + " of " +
            std::to_string(tasks.size()) +
            " submissions have not been graded yet: " + escape_line(outcome.last_fault, 300) +
            "\nThe results so far are stored. Run the chunk again.");
    }
    out << message_prefix
        << format("%zu submissions judged in %.1f s\n", outcome.judged_count, outcome.seconds);
}

}  // namespace coalesce::grader
