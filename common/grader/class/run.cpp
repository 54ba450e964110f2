#include "grader/class/run.h"

#include <algorithm>
#include <map>
#include <ostream>
#include <set>

#include "examiner/compile.h"
#include "examiner/safe_text.h"
#include "examiner/verdict_codec.h"
#include "grader/class/progress.h"
#include "grader/class/reports.h"
#include "grader/class/rounds.h"
#include "grader/sandbox/doctor.h"
#include "grader/sandbox/places.h"
#include "grader/store/errors.h"
#include "grader/store/files.h"
#include "grader/store/sha256.h"
#include "harness/text.h"

namespace coalesce::grader {
namespace fs = std::filesystem;
namespace {

// A run of the grader.
class ClassRun : OpenRun {
public:
    ClassRun(const Assignment& of, const RunRequest& request, const JudgingProcesses& processes,
             std::optional<Tier> tier, std::ostream& out)
        : OpenRun(of),
          request_(request),
          processes_(processes),
          out_(out),
          // Delete the contents of the folder, because a killed worker may have left files. No
          // other process uses the folder while this process holds the lock.
          work_(of.teacher() / "work"),
          setup_(find_judge_setup(work_.path, tier)) {}

    void grade() {
        if (request_.should_resume) {
            resume();
        } else {
            ClassSubmissions handed = read_submissions(assignment, setup_, request_.submissions);
            entries = std::move(handed.entries);
            begin(handed.sources);
        }
        if (entries.empty()) throw UsageError("there is nothing to grade");
        store_problem_results(setup_, request_.rejudges);
        judge_remaining();
        std::size_t missing = count_missing();
        if (missing > 0) {
            throw InfrastructureError(
                std::to_string(missing) + " of " + std::to_string(entries.size()) +
                " submissions have not been graded yet: " + escape_line(outcome_.last_fault, 300) +
                "\nThe results so far are stored. Fix the problem, then run ./learn grade run " +
                assignment.name + " --resume");
        }
        const ClassResults results = finish();
        out_ << summary(results) << judged_text() << describe_open_questions(results, 8);
    }

private:
    void begin(const std::set<std::string>& sources) {
        earlier = find_earlier();
        number = store.start_run(assignment.name, setup_.stamp(), entries,
                                 {sources.begin(), sources.end()}, earlier);
    }

    // Returns the earlier submissions of the students in this run. Returns none if only a student's
    // last submission counts.
    std::vector<Entry> find_earlier() {
        if (assignment.attempts == CountedAttempt::last) return {};
        std::map<std::pair<std::string, std::string>, std::string> current;
        for (const Entry& entry : entries) current[{entry.student, entry.exercise}] = entry.source;
        std::vector<Entry> found;
        for (Entry& entry : store.all_files()) {
            const auto now = current.find({entry.student, entry.exercise});
            if (now == current.end() || now->second == entry.source) continue;
            entry.key = result_key(assignment, setup_, entry);
            found.push_back(std::move(entry));
        }
        return found;
    }

    // Returns the submissions that must be judged.
    std::vector<Entry> entries_to_judge() const {
        std::vector<Entry> all = entries;
        all.insert(all.end(), earlier.begin(), earlier.end());
        return all;
    }

    // Continues the last run with its original submissions. If the assignment or the grader has
    // changed since that run began, starts a new run for the same class, because the results would
    // differ.
    void resume() {
        std::optional<Run> last = store.run();
        if (!last) {
            throw UsageError("there is no run to resume; start a run: ./learn grade run " +
                             assignment.name + " --submissions FOLDER");
        }
        number = last->number;
        entries = store.entries(number);
        const std::vector<Entry> before = entries;
        for (Entry& entry : entries) entry.key = result_key(assignment, setup_, entry);
        earlier = store.earlier_entries(number);
        if (entries == before && earlier == find_earlier()) return;
        out_ << "The assignment or the grader has changed since run " << number
             << " began, so the same class is graded again.\nThe older results are kept.\n";
        begin({});
    }

    void judge_remaining() {
        const std::vector<Entry> waiting =
            select_entries_to_judge(entries_to_judge(), store, request_.rejudges);
        std::vector<Task> tasks;
        for (const Entry& entry : waiting) {
            tasks.push_back({entry.exercise, store.source(entry.source)});
        }
        const auto told = [&](std::size_t task, TaskEnd end, const std::string& text) {
            const Entry& entry = waiting[task];
            if (end == TaskEnd::judged) store.add_result(number, entry, text);
            if (end == TaskEnd::failed) store.add_fault(number, entry, text);
            if (end == TaskEnd::given_up) store.give_up(number, entry, text);
        };
        outcome_ = judge_with_retries(
            tasks, retry_options_for(assignment, setup_, processes_, work_.path), told);
    }

    std::size_t count_missing() {
        const auto given_up = store.given_up(number);
        return static_cast<std::size_t>(
            std::ranges::count_if(entries_to_judge(), [&](const Entry& entry) {
                return !store.result(entry.key) && !given_up.contains(entry.key);
            }));
    }

    std::string judged_text() const {
        if (outcome_.judged == 0)
            return "Nothing had to be judged, because all results were already stored.\n";
        return format("%zu submissions judged in %s with %s: %.0f per minute.\n", outcome_.judged,
                      format_duration(outcome_.seconds).c_str(),
                      format_count(processes_.jobs, "job").c_str(),
                      60 * static_cast<double>(outcome_.judged) / std::max(outcome_.seconds, 1e-3));
    }

    const RunRequest& request_;
    const JudgingProcesses& processes_;
    std::ostream& out_;
    const WorkFolder work_;
    JudgeSetup setup_;
    JudgingOutcome outcome_;
};

// Returns advice for a student who submitted no file that can be judged.
std::string advice_for_problem(const std::string& problem) {
    if (problem == "no-file") return "Hand in the file under the name that the README gives.";
    if (problem == "two-files") return "Hand in one file for each exercise.";
    if (problem == "two-submissions") return "Hand in one folder or archive.";
    if (problem == "not-a-file") return "Hand in the file itself, not a link to it.";
    if (problem == "archive-encrypted") return "Hand in the archive without a password.";
    if (problem == "archive-hostile")
        return "Make the archive from your folder without changing its paths.";
    return "Hand in only the exercises' files, in a zip archive.";
}

}  // namespace

JudgeSetup find_judge_setup(const fs::path& work_folder, std::optional<Tier> entries_to_judge) {
    make_folder(work_folder, 0700);
    // Test the sandbox whenever the grader starts, because the sandbox may have been disabled in
    // the meantime.
    const Tier tier = find_secure_tier(work_folder, entries_to_judge);
    // Include the sandbox in the grader's identity, so that every result records it.
    return {.grader = judge_identity() + " in sandbox " + name_of(tier),
            .toolchain = compiler_identity(grading_compiler()),
            .tier = tier};
}

ClassSubmissions read_submissions(const Assignment& assignment, const JudgeSetup& setup,
                                  const fs::path& submissions) {
    std::vector<std::string> names;
    for (const Assigned& exercise : assignment.exercises) names.push_back(exercise.name);
    ClassSubmissions all;
    for (const Student& student : read_class(submissions, names)) {
        for (const Submission& handed : student.submissions) {
            Entry entry{.student = student.name,
                        .exercise = handed.exercise,
                        .key = "",
                        .source = handed.is_there() ? sha256_hex(handed.source) : "",
                        .problem = handed.problem,
                        .details = handed.details,
                        .platform_name = student.platform_name};
            entry.key = result_key(assignment, setup, entry);
            all.entries.push_back(std::move(entry));
            if (handed.is_there()) all.sources.insert(handed.source);
        }
    }
    return all;
}

std::vector<Entry> select_entries_to_judge(const std::vector<Entry>& entries, Store& store,
                                           bool rejudges) {
    std::vector<Entry> waiting;
    std::set<std::string> keys;
    for (const Entry& entry : entries) {
        if (!entry.problem.empty() || (!rejudges && store.result(entry.key))) continue;
        if (keys.insert(entry.key).second) waiting.push_back(entry);
    }
    return waiting;
}

std::string result_key(const Assignment& assignment, const JudgeSetup& setup, const Entry& entry) {
    const Assigned* asked = assignment.find(entry.exercise);
    if (asked == nullptr) {
        throw UsageError("assignment.toml no longer has the exercise " + entry.exercise);
    }
    std::string submission =
        entry.problem.empty() ? entry.source : "problem:" + entry.problem + ":" + entry.details;
    return sha256_of_parts({submission, requirements_digest(*asked), setup.grader, setup.toolchain,
                            // The secret inputs depend on both the epoch and the key file.
                            std::to_string(assignment.epoch) + sha256_hex(assignment.key)});
}

RetryOptions retry_options_for(const Assignment& assignment, const JudgeSetup& setup,
                               const JudgingProcesses& processes, const fs::path& work_folder) {
    return {.worker = {own_program(), "worker", "--folder", assignment.folder.string(), "--work",
                       work_folder.string(), "--tier", name_of(setup.tier)},
            .identity = identity_of(assignment),
            .jobs = processes.jobs,
            .is_quiet = processes.is_quiet,
            .solution = [&](const std::string& name) { return assignment.find(name)->solution; }};
}

Result make_problem_result(const Entry& entry, const std::string& sandbox) {
    Failure failure = failure_from_id(entry.problem);
    failure.headline = entry.details;
    failure.next = advice_for_problem(entry.problem);
    return result_of_failure(Mark::rejected, failure, sandbox);
}

Result judge_submission(const Submission& handed, const Assigned& exercise, const Secret& secret,
                        Judge& judge) {
    if (handed.is_there()) return judge.judge(handed.source, exercise, secret);
    return make_problem_result({.problem = handed.problem, .details = handed.details},
                               name_of(judge.tier()));
}

FileLock lock_assignment(const Assignment& assignment) {
    return {assignment.teacher() / "lock", "the assignment " + assignment.name};
}

void OpenRun::store_problem_results(const JudgeSetup& setup, bool rejudges) {
    for (const Entry& entry : entries) {
        if (entry.problem.empty() || (!rejudges && store.result(entry.key))) continue;
        store.add_result(number, entry, to_json(make_problem_result(entry, name_of(setup.tier))));
    }
}

ClassResults OpenRun::finish() {
    store.finish_run(number);
    ClassResults results = read_results(assignment, store);
    write_reports(results, assignment.results());
    return results;
}

void grade_class(const Assignment& assignment, const RunRequest& request,
                 const JudgingProcesses& processes, std::optional<Tier> tier, std::ostream& out) {
    ClassRun(assignment, request, processes, tier, out).grade();
}

}  // namespace coalesce::grader
