#include "grader/class/plan.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <set>

#include "base/codec.h"
#include "grader/class/plan_files.h"
#include "grader/class/progress.h"
#include "grader/class/templates.h"
#include "grader/class/worker.h"
#include "grader/store/errors.h"
#include "grader/store/files.h"
#include "grader/store/sha256.h"
#include "harness/text.h"
#include "kernel/safe_text.h"

namespace coalesce::grader {
namespace fs = std::filesystem;
namespace {

using codec::Json;

constexpr int kPlanFormat = 1;

// What a solution takes to judge, once compiler and simulator are warm: the measure of a chunk.
double seconds_a_task(const Assignment& assignment, const JudgeSetup& setup) {
    Judge judge({.tier = setup.tier});
    double sum = 0;
    for (const Assigned& exercise : assignment.exercises) {
        Result result;
        for (int time = 0; time < 2; ++time) {
            result = judge.judge(exercise.solution, exercise, assignment.secret(exercise));
        }
        if (result.mark == Mark::system) {
            throw Infrastructure("nothing can be judged here: " + shown(result.problem, 300));
        }
        sum += result.milliseconds / 1e3;
    }
    return sum / static_cast<double>(assignment.exercises.size());
}

// Dealt out one by one: neighbours, who may have the same endless loop, are not together.
std::vector<std::vector<PlannedTask>> dealt_out(const std::vector<PlannedTask>& tasks,
                                                std::size_t chunks) {
    std::vector<std::vector<PlannedTask>> all(chunks);
    for (std::size_t i = 0; i < tasks.size(); ++i) all[i % chunks].push_back(tasks[i]);
    return all;
}

}  // namespace

inline const char* name_in_json(Tier tier) {
    return name_of(tier);
}
constexpr Tier last_of(Tier) {
    return Tier::unsandboxed;
}

template <class Codec>
void describe(Codec& codec, Plan& plan) {
    int format = kPlanFormat;
    codec("format", format);
    if (format != kPlanFormat) throw codec::Error("it is of another version of the grader");
    std::size_t chunks = plan.chunks.size();
    fields(codec, "assignment", plan.assignment, "identity", plan.identity, "grader",
           plan.setup.grader, "toolchain", plan.setup.toolchain, "sandbox", plan.setup.tier,
           "chunks", chunks);
    if (chunks > kMostChunks) throw codec::Error("nobody plans so many chunks");
    plan.chunks.resize(chunks);
}

namespace {

// Makes the plan of a class, and writes it.
class Planning {
public:
    Planning(const Assignment& assignment, const PlanRequest& request)
        : assignment_(assignment),
          request_(request),
          // Trying the sandbox out uses a folder that a run uses too.
          lock_(lock_of(assignment)) {
        if (fs::exists(request.to)) {
            throw UsageError(request.to.string() + " is there already; choose another folder");
        }
        const WorkFolder work(assignment.teacher() / "work");
        setup_ = find_judge_setup(work.path, request.tier);
        handed_ = read_handed_in(assignment, setup_, request.submissions);
        Store store(assignment.store());
        for (const Entry& entry : to_be_judged(handed_.entries, store, false)) {
            tasks_.push_back({entry.key, entry.exercise, entry.source});
        }
        judged_ = to_be_judged(handed_.entries, store, true).size() - tasks_.size();
        if (!tasks_.empty()) chunks_ = dealt_out(tasks_, count_of_chunks());
    }

    void write() const {
        fs::path making = request_.to;
        making += ".unfinished-" + std::to_string(getpid());
        make_folder(making, 0700);
        for (const char* part : {"chunks", "sources", "results", "logs", "work"}) {
            make_folder(making / part, 0700);
        }
        for (const std::string& bytes : handed_.sources) {
            write_whole(making / "sources" / sha256_hex(bytes), bytes, 0600);
        }
        for (std::size_t chunk = 0; chunk < chunks_.size(); ++chunk) {
            write_whole(making / "chunks" / (std::to_string(chunk + 1) + ".json"),
                        codec::write(chunks_[chunk], true) + "\n", 0600);
        }
        write_whole(making / "class.json", codec::write(handed_.entries, true) + "\n", 0600);
        write_whole(making / "matrix.json", matrix());
        write_whole(making / "slurm.sbatch", sbatch(), 0700);
        write_whole(making / "plan.json", plan_json());
        std::error_code error;
        fs::rename(making, request_.to, error);
        if (error) throw Infrastructure(request_.to.string() + ": " + error.message());
    }

    bool is_empty() const { return tasks_.empty(); }

    std::string summary() const {
        std::string text = std::to_string(tasks_.size()) + " submissions to judge in " +
                           count_of(chunks_.size(), "chunk");
        if (seconds_ > 0) {
            double each = seconds_ * static_cast<double>(tasks_.size()) /
                          static_cast<double>(std::max<std::size_t>(1, chunks_.size()));
            text += " of about " + duration(each);
        }
        text += judged_ == 0 ? ".\n" : "; " + std::to_string(judged_) + " have a result already.\n";
        return text;
    }

private:
    std::size_t count_of_chunks() {
        auto wanted = static_cast<std::size_t>(request_.chunks);
        if (request_.chunks == 0) {
            seconds_ = seconds_a_task(assignment_, setup_);
            double work = seconds_ * static_cast<double>(tasks_.size());
            // Rounded down: a chunk may have more work than is asked for, and not less.
            wanted = static_cast<std::size_t>(std::clamp(work / request_.seconds, 1.0, 1e6));
        }
        return std::min({wanted, tasks_.size(), std::size_t{kMostChunks}});
    }

    std::string matrix() const {
        Json numbers = Json::array();
        for (std::size_t chunk = 1; chunk <= chunks_.size(); ++chunk) numbers.push_back(chunk);
        return Json{{"chunk", numbers}}.dump() + "\n";
    }

    std::string sbatch() const {
        std::string to = fs::absolute(request_.to).lexically_normal().string();
        // In a #SBATCH line nothing can be quoted.
        bool is_plain = to.find_first_of(" \t\n'\"\\%") == std::string::npos;
        return platform_file("slurm/slurm.sbatch",
                             {{"NAME", assignment_.name},
                              {"CHUNKS", std::to_string(std::max<std::size_t>(1, chunks_.size()))},
                              {"LOGS", is_plain ? to + "/logs" : "logs"},
                              {"PLAN", shell_word(to)},
                              {"GRADE", shell_word(own_program())},
                              {"FOLDER", shell_word(assignment_.folder.parent_path().string())}});
    }

    std::string plan_json() const {
        Plan plan{.folder = {},
                  .assignment = assignment_.name,
                  .identity = identity_of(assignment_),
                  .setup = setup_,
                  .chunks = chunks_};
        return codec::write(plan, true) + "\n";
    }

    const Assignment& assignment_;
    const PlanRequest& request_;
    FileLock lock_;
    JudgeSetup setup_;
    HandedIn handed_;
    std::vector<PlannedTask> tasks_;
    std::vector<std::vector<PlannedTask>> chunks_;
    std::size_t judged_ = 0;  // have a result already
    double seconds_ = 0;
};

}  // namespace

void make_plan(const Assignment& assignment, const PlanRequest& request, std::ostream& out) {
    Planning planning(assignment, request);
    planning.write();
    std::string plan = request.to.string();
    out << planning.summary();
    if (!planning.is_empty()) {
        out << "On a Slurm cluster:  sbatch " << plan
            << "/slurm.sbatch\nOn one computer:     ./learn grade chunk " << plan
            << " NUMBER\nHow far it is:       ./learn grade status " << plan << "\n";
    }
    out << "In the end:          ./learn grade merge " << plan << "\n";
}

Plan read_plan(const fs::path& folder) {
    Plan plan;
    std::string file = (folder / "plan.json").string();
    try {
        plan = codec::read<Plan>(read_file(folder / "plan.json"));
        plan.folder = fs::absolute(folder);
        for (std::size_t chunk = 1; chunk <= plan.chunks.size(); ++chunk) {
            plan.chunks[chunk - 1] = codec::read<std::vector<PlannedTask>>(
                read_file(folder / "chunks" / (std::to_string(chunk) + ".json")));
        }
    } catch (const codec::Error& error) {
        throw UsageError(file + " is no plan: " + shown(error.what(), 200));
    }
    return plan;
}

std::size_t Plan::tasks() const {
    std::size_t sum = 0;
    for (const auto& chunk : chunks) sum += chunk.size();
    return sum;
}

fs::path Plan::result(const std::string& key) const {
    return folder / "results" / key;
}

std::vector<PlannedTask> Plan::missing(std::size_t chunk) const {
    std::vector<PlannedTask> left;
    for (const PlannedTask& task : chunks.at(chunk - 1)) {
        if (!fs::exists(result(task.key))) left.push_back(task);
    }
    return left;
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
                       std::to_string(plan.tasks()) + " results are there.\n";
    if (missing > 0) text += "Not at their end: chunks" + open + "\n";
    return text;
}

}  // namespace coalesce::grader
