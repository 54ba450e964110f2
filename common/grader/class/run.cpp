#include "grader/class/run.h"

#include <algorithm>
#include <ostream>
#include <set>

#include "grader/class/names.h"
#include "grader/class/progress.h"
#include "grader/class/reports.h"
#include "grader/class/rounds.h"
#include "grader/sandbox/cgroup.h"
#include "grader/sandbox/doctor.h"
#include "grader/sandbox/places.h"
#include "grader/store/errors.h"
#include "grader/store/files.h"
#include "grader/store/sha256.h"
#include "harness/text.h"
#include "kernel/compile.h"
#include "kernel/verdict_codec.h"

namespace coalesce::grader {
namespace fs = std::filesystem;
namespace {

// One run of the grader.
class ClassRun {
public:
    ClassRun(const Assignment& assignment, const RunRequest& request, std::ostream& out)
        : assignment_(assignment),
          request_(request),
          out_(out),
          lock_(assignment.teacher() / "lock", "the assignment " + assignment.name),
          store_(assignment.store()),
          setup_(find_judge_setup(work_folder(), request.tier)) {}

    ~ClassRun() { clear_work(); }
    ClassRun(const ClassRun&) = delete;
    ClassRun& operator=(const ClassRun&) = delete;

    void grade() {
        begin();
        settle_problems();
        judge_the_rest();
        std::size_t missing = count_missing();
        if (missing > 0) {
            throw Infrastructure(
                std::to_string(missing) + " of " + std::to_string(entries_.size()) +
                " submissions are not graded yet: " + shown(outcome_.last_fault, 300) +
                "\nWhat was graded is stored. Fix this, then: ./learn grade run " +
                assignment_.name + " --resume");
        }
        store_.finish_run(run_);
        ClassResults results = read_results(assignment_, store_, run_);
        write_reports(results, assignment_.results());
        out_ << summary(results) << judged_text() << faults_text(results);
    }

private:
    void begin() {
        if (request_.resumes) {
            resume();
        } else {
            read_submissions();
        }
        if (entries_.empty()) throw UsageError("there is nothing to grade");
    }

    void read_submissions() {
        std::vector<std::string> names;
        for (const Assigned& exercise : assignment_.exercises) names.push_back(exercise.name);
        std::vector<std::string> sources;
        for (const Student& student : read_class(request_.submissions, names)) {
            for (const Handed& handed : student.handed) {
                entries_.push_back(entry_of(assignment_, setup_, student.name, handed));
                if (handed.is_there()) sources.push_back(handed.source);
            }
        }
        run_ = store_.begin_run(assignment_.name, setup_.stamp(), entries_, sources);
    }

    // The last run goes on, with what was handed in then. When the assignment or the grader is
    // another by now, the results would be others too: that is a new run of the same class.
    void resume() {
        std::optional<Run> last = store_.run();
        if (!last) {
            throw UsageError("there is no run to resume; begin one: ./learn grade run " +
                             assignment_.name + " --submissions FOLDER");
        }
        run_ = last->number;
        entries_ = store_.entries(run_);
        std::vector<Entry> now = entries_;
        for (Entry& entry : now) {
            entry.key = key_of_entry(assignment_, setup_, entry);
        }
        if (now == entries_) return;
        out_ << "The assignment or the grader has changed since run " << run_
             << " began: the same class is graded again,\nand the older results stay.\n";
        entries_ = now;
        run_ = store_.begin_run(assignment_.name, setup_.stamp(), entries_, {});
    }

    bool needs_judging(const Entry& entry) { return request_.again || !store_.result(entry.key); }

    // What cannot be judged has its result at once.
    void settle_problems() {
        for (const Entry& entry : entries_) {
            if (entry.problem.empty() || !needs_judging(entry)) continue;
            store_.add_result(run_, entry, to_json(result_of_problem(entry, name_of(setup_.tier))));
        }
    }

    void judge_the_rest() {
        // The same file from two students is judged once.
        std::vector<const Entry*> waiting;
        std::set<std::string> keys;
        std::vector<Task> tasks;
        for (const Entry& entry : entries_) {
            if (!entry.problem.empty() || !needs_judging(entry)) continue;
            if (!keys.insert(entry.key).second) continue;
            waiting.push_back(&entry);
            tasks.push_back({entry.exercise, store_.source(entry.source)});
        }
        const Rounds rounds{
            .worker = worker_command(assignment_, setup_, request_.worker, work_folder()),
            .identity = identity_of(assignment_),
            .jobs = request_.jobs,
            .is_quiet = request_.is_quiet,
            .solution = [&](const std::string& name) { return assignment_.find(name)->solution; }};
        const RoundsTold told{.judged =
                                  [&](std::size_t task, const std::string& result) {
                                      store_.add_result(run_, *waiting[task], result);
                                  },
                              .failed =
                                  [&](std::size_t task, const std::string& fault) {
                                      store_.add_fault(run_, *waiting[task], fault);
                                  },
                              .given_up =
                                  [&](std::size_t task, const std::string& fault) {
                                      store_.give_up(run_, *waiting[task], fault);
                                  }};
        outcome_ = judge_in_rounds(tasks, rounds, told);
    }

    fs::path work_folder() const { return assignment_.teacher() / "work"; }

    // A worker that was killed leaves its folder; nobody else is at work while we have the lock.
    void clear_work() const {
        std::error_code ignored;
        fs::remove_all(work_folder(), ignored);
    }

    std::size_t count_missing() {
        const auto given_up = store_.given_up(run_);
        return static_cast<std::size_t>(std::ranges::count_if(entries_, [&](const Entry& entry) {
            return !store_.result(entry.key) && !given_up.contains(entry.key);
        }));
    }

    std::string judged_text() const {
        if (outcome_.judged == 0)
            return "Nothing had to be judged: all results were stored already.\n";
        return format("%zu judged in %s with %s: %.0f a minute.\n", outcome_.judged,
                      duration(outcome_.seconds).c_str(), count_of(request_.jobs, "job").c_str(),
                      60 * static_cast<double>(outcome_.judged) / std::max(outcome_.seconds, 1e-3));
    }

    const Assignment& assignment_;
    const RunRequest& request_;
    std::ostream& out_;
    FileLock lock_;
    Store store_;
    JudgeSetup setup_;
    std::vector<Entry> entries_;
    std::int64_t run_ = 0;
    RoundsOutcome outcome_;
};

// What a student reads about a file that is not there.
std::string next_action(const std::string& problem) {
    if (problem == "no-file") return "Hand it in under the name that the README gives.";
    if (problem == "two-files") return "Hand in one file for each exercise.";
    if (problem == "two-submissions") return "Hand in one folder or archive.";
    if (problem == "not-a-file") return "Hand in the file itself, not a link to it.";
    if (problem == "archive-encrypted") return "Hand it in without a password.";
    if (problem == "archive-hostile") return "Make the archive of your folder as it is.";
    return "Hand in the exercises' files alone, in a zip archive.";
}

}  // namespace

// Attacks the sandbox, every time: what held yesterday may have been switched off since.
static Tier tier_that_holds(const fs::path& work_folder, std::optional<Tier> wanted) {
    std::vector<TierTrial> trials;
    const Tier tier = best_tier(work_folder, wanted, trials);
    if (tier != Tier::none) return tier;
    std::string text = wanted ? std::string("sandbox ") + name_of(*wanted) +
                                    " does not work on this computer, and nothing was run"
                              : "there is no sandbox on this computer, and nothing was run";
    for (const TierTrial& trial : trials) {
        text += std::string("\n  tier ") + name_of(trial.tier) + ": " +
                (trial.problem.empty() ? "an attack got through" : trial.problem);
    }
    throw Infrastructure(text + "\n./learn grade doctor says more");
}

std::optional<Tier> tier_called(const std::string& name) {
    for (Tier tier : {Tier::namespaces, Tier::landlock, Tier::none, Tier::unsandboxed}) {
        if (name == name_of(tier)) return tier;
    }
    return std::nullopt;
}

JudgeSetup find_judge_setup(const fs::path& work_folder, std::optional<Tier> wanted) {
    JudgeSetup setup{.grader = judge_identity(),
                     .toolchain = compiler_identity(grading_compiler()),
                     .tier = Tier::unsandboxed};
    sweep_stale_cgroups();
    make_folder(work_folder, 0700);
    if (wanted != Tier::unsandboxed) setup.tier = tier_that_holds(work_folder, wanted);
    // The sandbox stands in each result.
    setup.grader += std::string(" in sandbox ") + name_of(setup.tier);
    return setup;
}

Entry entry_of(const Assignment& assignment, const JudgeSetup& setup, const std::string& student,
               const Handed& handed) {
    Entry entry{.student = student,
                .exercise = handed.exercise,
                .key = "",
                .source = handed.is_there() ? sha256_hex(handed.source) : "",
                .problem = handed.problem,
                // Nothing that a result depends on.
                .details = handed.is_there() ? handed.ignored : handed.details};
    entry.key = key_of_entry(assignment, setup, entry);
    return entry;
}

std::string key_of_entry(const Assignment& assignment, const JudgeSetup& setup,
                         const Entry& entry) {
    const Assigned* asked = assignment.find(entry.exercise);
    if (asked == nullptr) {
        throw UsageError("assignment.toml has no exercise " + entry.exercise + " any more");
    }
    std::string submission =
        entry.problem.empty() ? entry.source : "problem:" + entry.problem + ":" + entry.details;
    return key_of({.submission = submission,
                   .manifest = digest_of(*asked),
                   .grader = setup.grader,
                   .toolchain = setup.toolchain,
                   // The key file is what the epoch counts within.
                   .epoch = std::to_string(assignment.epoch) + sha256_hex(assignment.key)});
}

std::vector<std::string> worker_command(const Assignment& assignment, const JudgeSetup& setup,
                                        std::vector<std::string> program,
                                        const fs::path& work_folder) {
    program.insert(program.end(), {"--folder", assignment.folder.string(), "--work",
                                   work_folder.string(), "--tier", name_of(setup.tier)});
    return program;
}

Result result_of_problem(const Entry& entry, const std::string& sandbox) {
    Failure failure = failure_called(entry.problem);
    failure.headline = entry.details;
    failure.next = next_action(entry.problem);
    Result result;
    result.mark = Mark::rejected;
    result.verdict.outcome = Verdict::Outcome::failed;
    result.verdict.failures = {failure};
    result.sandbox = sandbox;
    return result;
}

void grade_class(const Assignment& assignment, const RunRequest& request, std::ostream& out) {
    ClassRun(assignment, request, out).grade();
}

}  // namespace coalesce::grader
