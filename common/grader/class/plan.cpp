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
    double sum = 0;
    for (const Assigned& exercise : assignment.exercises) {
        Result result;
        for (int time = 0; time < 2; ++time) {
            result = judge.judge(exercise.solution, exercise, assignment.secret(exercise));
        }
        if (result.mark == Mark::system) {
            throw InfrastructureError("nothing can be judged here: " +
                                      escape_line(result.problem, 300));
        }
        sum += result.milliseconds / 1e3;
    }
    return sum / static_cast<double>(assignment.exercises.size());
}

// Distributes the tasks round-robin. Neighbours in the class may have copied the same endless loop
// from each other, so they should be in different chunks.
std::vector<std::vector<Entry>> deal_round_robin(const std::vector<Entry>& tasks,
                                                 std::size_t chunks) {
    std::vector<std::vector<Entry>> all(chunks);
    for (std::size_t i = 0; i < tasks.size(); ++i) all[i % chunks].push_back(tasks[i]);
    return all;
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
        if (assignment.attempts != CountedAttempt::last) {
            throw UsageError(
                "a plan can judge only each student's last file; set attempts = \"last\" in "
                "assignment.toml, or "
                "use ./learn grade run");
        }
        if (fs::exists(request.to)) {
            throw UsageError(request.to.string() + " already exists; choose another folder");
        }
        const WorkFolder work(assignment.teacher() / "work");
        plan_ = {.folder = {},
                 .assignment = assignment.name,
                 .identity = identity_of(assignment),
                 .setup = find_judge_setup(work.path, tier)};
        ClassSubmissions handed = read_submissions(assignment, plan_.setup, request.submissions);
        plan_.entries = std::move(handed.entries);
        sources_ = std::move(handed.sources);
        Store store(assignment.store());
        const std::vector<Entry> tasks = select_entries_to_judge(plan_.entries, store, false);
        judged_ = select_entries_to_judge(plan_.entries, store, true).size() - tasks.size();
        if (!tasks.empty())
            plan_.chunks = deal_round_robin(tasks, choose_chunk_count(tasks.size()));
    }

    void write() const {
        fs::path making = request_.to;
        making += ".unfinished-" + std::to_string(getpid());
        make_folder(making, 0700);
        for (const char* part : {"sources", "results", "logs", "work"}) {
            make_folder(making / part, 0700);
        }
        for (const std::string& bytes : sources_) {
            write_atomically(making / "sources" / sha256_hex(bytes), bytes, 0600);
        }
        write_atomically(making / "matrix.json", matrix());
        write_atomically(making / "slurm.sbatch", sbatch(), 0700);
        write_atomically(making / "plan.json", codec::write(plan_, true) + "\n", 0600);
        std::error_code error;
        fs::rename(making, request_.to, error);
        if (error) throw InfrastructureError(request_.to.string() + ": " + error.message());
    }

    bool is_empty() const { return plan_.chunks.empty(); }

    std::string summary() const {
        std::string text = std::to_string(plan_.tasks()) + " submissions to judge in " +
                           format_count(plan_.chunks.size(), "chunk");
        if (seconds_ > 0) {
            double each = seconds_ * static_cast<double>(plan_.tasks()) /
                          static_cast<double>(plan_.chunks.size());
            text += " of about " + format_duration(each);
        }
        text += judged_ == 0 ? ".\n" : "; " + std::to_string(judged_) + " already have a result.\n";
        return text;
    }

private:
    std::size_t choose_chunk_count(std::size_t tasks) {
        auto wanted = static_cast<std::size_t>(request_.chunks);
        if (request_.chunks == 0) {
            seconds_ = measure_seconds_per_task(assignment_, plan_.setup);
            double work = seconds_ * static_cast<double>(tasks);
            // Round the number of chunks down, so that every chunk has at least the requested
            // amount of work.
            wanted = static_cast<std::size_t>(std::clamp(work / request_.seconds, 1.0, 1e6));
        }
        return std::min({wanted, tasks, std::size_t{kMaxChunks}});
    }

    std::string matrix() const {
        Json numbers = Json::array();
        for (std::size_t chunk = 1; chunk <= plan_.chunks.size(); ++chunk) numbers.push_back(chunk);
        return Json{{"chunk", numbers}}.dump() + "\n";
    }

    std::string sbatch() const {
        std::string to = fs::absolute(request_.to).lexically_normal().string();
        // A #SBATCH line cannot contain quotes.
        bool is_plain = to.find_first_of(" \t\n'\"\\%") == std::string::npos;
        return platform_file(
            "slurm/slurm.sbatch",
            {{"NAME", assignment_.name},
             {"CHUNKS", std::to_string(std::max<std::size_t>(1, plan_.chunks.size()))},
             {"LOGS", is_plain ? to + "/logs" : "logs"},
             {"PLAN", shell_word(to)},
             {"GRADE", shell_word(own_program())},
             {"FOLDER", shell_word(assignment_.folder.parent_path().string())}});
    }

    const Assignment& assignment_;
    const PlanRequest& request_;
    FileLock lock_;
    Plan plan_;
    std::set<std::string> sources_;
    std::size_t judged_ = 0;  // number of entries that already have a result
    double seconds_ = 0;
};

}  // namespace

void make_plan(const Assignment& assignment, const PlanRequest& request, std::optional<Tier> tier,
               std::ostream& out) {
    PlanBuilder planning(assignment, request, tier);
    planning.write();
    std::string plan = request.to.string();
    out << planning.summary();
    if (!planning.is_empty()) {
        out << "On a Slurm cluster:  sbatch " << plan
            << "/slurm.sbatch\nOn one computer:     ./learn grade chunk " << plan
            << " NUMBER\nProgress:            ./learn grade status " << plan << "\n";
    }
    out << "Afterwards:          ./learn grade merge " << plan << "\n";
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

std::size_t Plan::tasks() const {
    std::size_t sum = 0;
    for (const auto& chunk : chunks) sum += chunk.size();
    return sum;
}

fs::path Plan::result(const std::string& key) const {
    return folder / "results" / key;
}

std::vector<Entry> Plan::missing(std::size_t chunk) const {
    std::vector<Entry> left;
    for (const Entry& task : chunks.at(chunk - 1)) {
        if (!fs::exists(result(task.key))) left.push_back(task);
    }
    return left;
}

std::string seal_result(const Assignment& assignment, const std::string& key,
                        const std::string& result) {
    return compute_seal(assignment, key, result) + "\n" + result;
}

std::string open_sealed_result(const Assignment& assignment, const std::string& key,
                               const std::string& sealed) {
    std::size_t end = sealed.find('\n');
    std::string result = end == sealed.npos ? "" : sealed.substr(end + 1);
    if (end != sealed.npos && sealed.substr(0, end) == compute_seal(assignment, key, result)) {
        return result;
    }
    throw InfrastructureError(
        "results/" + key +
        " has changed since its chunk wrote it; remove the file, and run that chunk again");
}

std::string plan_status(const Plan& plan) {
    std::size_t missing = 0;
    std::string open;
    for (std::size_t chunk = 1; chunk <= plan.chunks.size(); ++chunk) {
        std::size_t left = plan.missing(chunk).size();
        missing += left;
        if (left > 0) open += " " + std::to_string(chunk);
    }
    std::string text = std::to_string(plan.tasks() - missing) + " of " +
                       std::to_string(plan.tasks()) + " results exist.\n";
    if (missing > 0) text += "Unfinished chunks:" + open + "\n";
    return text;
}

}  // namespace coalesce::grader
