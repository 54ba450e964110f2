#include "grader/class/plan.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <set>

#include "examiner/safe_text.h"
#include "grader/class/export.h"
#include "grader/class/progress.h"
#include "grader/class/worker.h"
#include "grader/store/errors.h"
#include "grader/store/files.h"
#include "grader/store/sha256.h"
#include "harness/text.h"

namespace coalesce::grader {
namespace fs = std::filesystem;
namespace {

using codec::Json;

// Measures the time in seconds that judging a solution takes once the compiler and the simulator
// have warmed up. This time determines the size of chunks.
double measure_seconds_per_task(const Assignment& assignment, const JudgeSetup& setup) {
    Judge judge({.tier = setup.tier});
    double total_seconds = 0;
    for (const AssignedExercise& exercise : assignment.exercises) {
        Result result;
        for (int repetition = 0; repetition < 2; ++repetition) {
            result = judge.judge(exercise.solution, exercise, assignment.secret(exercise));
        }
        if (result.mark == Mark::system) {
            throw InfrastructureError("nothing can be judged here: " +
                                      escape_line(result.problem, 300));
        }
        total_seconds += result.milliseconds / 1e3;
    }
    return total_seconds / static_cast<double>(assignment.exercises.size());
}

// Distributes the tasks round-robin. Neighbours in the class may have copied the same endless loop
// from each other, so they should be in different chunks.
std::vector<std::vector<Entry>> deal_round_robin(const std::vector<Entry>& tasks,
                                                 std::size_t chunks) {
    std::vector<std::vector<Entry>> dealt_chunks(chunks);
    for (std::size_t i = 0; i < tasks.size(); ++i) dealt_chunks[i % chunks].push_back(tasks[i]);
    return dealt_chunks;
}

// Returns the seal of a result. The seal covers the submission's key, so that a result is valid
// only for one submission.
std::string compute_seal(const Assignment& assignment, const std::string& key,
                         const std::string& result) {
    return hex(hmac_sha256(assignment.key, "result of " + key + "\n" + result));
}

}  // namespace

void describe(auto& codec, Plan& plan) {
    codec::version(codec, "plan", 3);
    fields(codec, "assignment", plan.assignment, "identity", plan.identity, "grader",
           plan.setup.grader, "toolchain", plan.setup.toolchain, "sandbox", plan.setup.tier,
           "entries", plan.entries, "chunks", plan.chunks);
}

namespace {

// Plans the grading of a class and writes the plan.
class PlanBuilder {
public:
    PlanBuilder(const Assignment& assignment, const PlanRequest& request, std::optional<Tier> tier)
        : assignment_(assignment),
          request_(request),
          // The sandbox test uses the same work folder as a run, so it needs the lock.
          lock_(lock_assignment(assignment)) {
        if (assignment.counted_attempt != CountedAttempt::last) {
            throw UsageError(
                "a plan can judge only each student's last file; set attempts = \"last\" in "
                "assignment.toml, or "
                "use ./learn grade run");
        }
        if (fs::exists(request.destination)) {
            throw UsageError(request.destination.string() +
                             " already exists; choose another folder");
        }
        const WorkFolder work(assignment.teacher_folder() / "work");
        plan_ = {.folder = {},
                 .assignment = assignment.name,
                 .identity = assignment_identity(assignment),
                 .setup = find_judge_setup(work.path, tier)};
        ClassSubmissions class_submissions =
            read_submissions(assignment, plan_.setup, request.submissions);
        plan_.entries = std::move(class_submissions.entries);
        sources_ = std::move(class_submissions.sources);
        Store store(assignment.store());
        const std::vector<Entry> tasks = select_entries_to_judge(plan_.entries, store, false);
        judged_count_ = select_entries_to_judge(plan_.entries, store, true).size() - tasks.size();
        if (!tasks.empty())
            plan_.chunks = deal_round_robin(tasks, choose_chunk_count(tasks.size()));
    }

    void write() const {
        fs::path unfinished_folder = request_.destination;
        unfinished_folder += ".unfinished-" + std::to_string(getpid());
        make_folder(unfinished_folder, 0700);
        for (const char* subfolder : {"sources", "results", "logs", "work"}) {
            make_folder(unfinished_folder / subfolder, 0700);
        }
        for (const std::string& bytes : sources_) {
            write_atomically(unfinished_folder / "sources" / sha256_hex(bytes), bytes, 0600);
        }
        write_atomically(unfinished_folder / "matrix.json", matrix_json());
        write_atomically(unfinished_folder / "slurm.sbatch", slurm_script(), 0700);
        write_atomically(unfinished_folder / "plan.json", codec::write(plan_, true) + "\n", 0600);
        std::error_code error;
        fs::rename(unfinished_folder, request_.destination, error);
        if (error)
            throw InfrastructureError(request_.destination.string() + ": " + error.message());
    }

    bool is_empty() const { return plan_.chunks.empty(); }

    std::string summary() const {
        std::string text = std::to_string(plan_.task_count()) + " submissions to judge in " +
                           format_count(plan_.chunks.size(), "chunk");
        if (seconds_per_task_ > 0) {
            double seconds_per_chunk = seconds_per_task_ * static_cast<double>(plan_.task_count()) /
                                       static_cast<double>(plan_.chunks.size());
            text += " of about " + format_duration(seconds_per_chunk);
        }
        text += judged_count_ == 0
                    ? ".\n"
                    : "; " + std::to_string(judged_count_) + " already have a result.\n";
        return text;
    }

private:
    std::size_t choose_chunk_count(std::size_t tasks) {
        auto chunk_count = static_cast<std::size_t>(request_.chunks);
        if (request_.chunks == 0) {
            seconds_per_task_ = measure_seconds_per_task(assignment_, plan_.setup);
            double total_seconds = seconds_per_task_ * static_cast<double>(tasks);
            // Round the number of chunks down, so that every chunk has at least the requested
            // amount of work.
            chunk_count = static_cast<std::size_t>(
                std::clamp(total_seconds / request_.chunk_seconds, 1.0, 1e6));
        }
        return std::min({chunk_count, tasks, std::size_t{kMaxChunks}});
    }

    std::string matrix_json() const {
        Json chunk_numbers = Json::array();
        for (std::size_t chunk = 1; chunk <= plan_.chunks.size(); ++chunk)
            chunk_numbers.push_back(chunk);
        return Json{{"chunk", chunk_numbers}}.dump() + "\n";
    }

    std::string slurm_script() const {
        std::string destination = fs::absolute(request_.destination).lexically_normal().string();
        // A #SBATCH line cannot contain quotes.
        bool is_safe_path = destination.find_first_of(" \t\n'\"\\%") == std::string::npos;
        return fill_platform_template(
            "slurm/slurm.sbatch",
            {{"NAME", assignment_.name},
             {"CHUNKS", std::to_string(std::max<std::size_t>(1, plan_.chunks.size()))},
             {"LOGS", is_safe_path ? destination + "/logs" : "logs"},
             {"PLAN", quote_for_shell(destination)},
             {"GRADE", quote_for_shell(current_executable())},
             {"FOLDER", quote_for_shell(assignment_.folder.parent_path().string())}});
    }

    const Assignment& assignment_;
    const PlanRequest& request_;
    FileLock lock_;
    Plan plan_;
    std::set<std::string> sources_;
    std::size_t judged_count_ = 0;  // number of entries that already have a result
    double seconds_per_task_ = 0;
};

}  // namespace

void make_plan(const Assignment& assignment, const PlanRequest& request, std::optional<Tier> tier,
               std::ostream& out) {
    PlanBuilder plan_builder(assignment, request, tier);
    plan_builder.write();
    std::string plan_folder = request.destination.string();
    out << plan_builder.summary();
    if (!plan_builder.is_empty()) {
        out << "On a Slurm cluster:  sbatch " << plan_folder
            << "/slurm.sbatch\nOn one computer:     ./learn grade chunk " << plan_folder
            << " NUMBER\nProgress:            ./learn grade status " << plan_folder << "\n";
    }
    out << "Afterwards:          ./learn grade merge " << plan_folder << "\n";
}

Plan read_plan(const fs::path& folder) {
    const fs::path file = folder / "plan.json";
    try {
        Plan plan = codec::read<Plan>(read_file(file));
        plan.folder = fs::absolute(folder);
        return plan;
    } catch (const codec::Error& error) {
        throw UsageError(file.string() + " is not a plan: " + escape_line(error.what(), 200));
    }
}

std::size_t Plan::task_count() const {
    std::size_t task_sum = 0;
    for (const auto& chunk : chunks) task_sum += chunk.size();
    return task_sum;
}

fs::path Plan::result_file(const std::string& key) const {
    return folder / "results" / key;
}

std::vector<Entry> Plan::missing_entries(std::size_t chunk) const {
    std::vector<Entry> unfinished_entries;
    for (const Entry& task : chunks.at(chunk - 1)) {
        if (!fs::exists(result_file(task.key))) unfinished_entries.push_back(task);
    }
    return unfinished_entries;
}

std::string seal_result(const Assignment& assignment, const std::string& key,
                        const std::string& result) {
    return compute_seal(assignment, key, result) + "\n" + result;
}

std::string open_sealed_result(const Assignment& assignment, const std::string& key,
                               const std::string& sealed) {
    std::size_t seal_end = sealed.find('\n');
    std::string result = seal_end == sealed.npos ? "" : sealed.substr(seal_end + 1);
    if (seal_end != sealed.npos &&
        sealed.substr(0, seal_end) == compute_seal(assignment, key, result)) {
        return result;
    }
    throw InfrastructureError(
        "results/" + key +
        " has changed since its chunk wrote it; remove the file, and run that chunk again");
}

std::string plan_status(const Plan& plan) {
    std::size_t missing_results = 0;
    std::string unfinished_chunks;
    for (std::size_t chunk = 1; chunk <= plan.chunks.size(); ++chunk) {
        std::size_t chunk_missing = plan.missing_entries(chunk).size();
        missing_results += chunk_missing;
        if (chunk_missing > 0) unfinished_chunks += " " + std::to_string(chunk);
    }
    std::string text = std::to_string(plan.task_count() - missing_results) + " of " +
                       std::to_string(plan.task_count()) + " results exist.\n";
    if (missing_results > 0) text += "Unfinished chunks:" + unfinished_chunks + "\n";
    return text;
}

}  // namespace coalesce::grader
