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
    ClassRun(const Assignment& class_assignment, const RunRequest& request,
             const JudgingProcesses& processes, std::optional<Tier> tier, std::ostream& out)
        : OpenRun(class_assignment),
          request_(request),
          processes_(processes),
          out_(out),
          // Delete the contents of the folder, because a killed worker may have left files. No
          // other process uses the folder while this process holds the lock.
          work_(class_assignment.teacher_folder() / "work"),
          setup_(find_judge_setup(work_.path, tier)) {}

    void grade() {
        if (request_.should_resume) {
            resume();
        } else {
            ClassSubmissions class_submissions =
                read_submissions(assignment, setup_, request_.submissions);
            entries = std::move(class_submissions.entries);
            begin_run(class_submissions.sources);
        }
        if (entries.empty()) throw UsageError("there is nothing to grade");
        store_problem_results(setup_, request_.should_rejudge);
        judge_remaining();
        std::size_t missing_count = count_missing();
        if (missing_count > 0) {
            throw InfrastructureError(
                std::to_string(missing_count) + " of " + std::to_string(entries.size()) +
                " submissions have not been graded yet: " + escape_line(outcome_.last_fault, 300) +
                "\nThe results so far are stored. Fix the problem, then run ./learn grade run " +
                assignment.name + " --resume");
        }
        const ClassResults results = finish();
        out_ << summarize_results(results) << describe_judging()
             << describe_open_questions(results, 8);
    }

private:
    void begin_run(const std::set<std::string>& sources) {
        earlier_runs_entries = find_earlier_entries();
        run_number = store.start_run(assignment.name, setup_.sandbox_note(), entries,
                                     {sources.begin(), sources.end()}, earlier_runs_entries);
    }

    // Returns the earlier submissions of the students in this run. Returns none if only a student's
    // last submission counts.
    std::vector<Entry> find_earlier_entries() {
        if (assignment.counted_attempt == CountedAttempt::last) return {};
        std::map<std::pair<std::string, std::string>, std::string> current;
        for (const Entry& entry : entries) current[{entry.student, entry.exercise}] = entry.source;
        std::vector<Entry> earlier_files;
        for (Entry& entry : store.submitted_files()) {
            const auto current_entry = current.find({entry.student, entry.exercise});
            if (current_entry == current.end() || current_entry->second == entry.source) continue;
            entry.key = result_key(assignment, setup_, entry);
            earlier_files.push_back(std::move(entry));
        }
        return earlier_files;
    }

    // Returns the submissions that must be judged.
    std::vector<Entry> entries_to_judge() const {
        std::vector<Entry> all_entries = entries;
        all_entries.insert(all_entries.end(), earlier_runs_entries.begin(),
                           earlier_runs_entries.end());
        return all_entries;
    }

    // Continues the last run with its original submissions. If the assignment or the grader has
    // changed since that run began, starts a new run for the same class, because the results would
    // differ.
    void resume() {
        std::optional<Run> last_run = store.run();
        if (!last_run) {
            throw UsageError("there is no run to resume; start a run: ./learn grade run " +
                             assignment.name + " --submissions FOLDER");
        }
        run_number = last_run->run_number;
        entries = store.entries(run_number);
        const std::vector<Entry> stored_entries = entries;
        for (Entry& entry : entries) entry.key = result_key(assignment, setup_, entry);
        earlier_runs_entries = store.earlier_entries(run_number);
        if (entries == stored_entries && earlier_runs_entries == find_earlier_entries()) return;
        out_ << "The assignment or the grader has changed since run " << run_number
             << " began, so the same class is graded again.\nThe older results are kept.\n";
        begin_run({});
    }

    void judge_remaining() {
        const std::vector<Entry> pending_entries =
            select_entries_to_judge(entries_to_judge(), store, request_.should_rejudge);
        std::vector<Task> tasks;
        for (const Entry& entry : pending_entries) {
            tasks.push_back({entry.exercise, store.source(entry.source)});
        }
        const auto on_task_end = [&](std::size_t task, TaskEnd end, const std::string& text) {
            const Entry& entry = pending_entries[task];
            if (end == TaskEnd::judged) store.add_result(run_number, entry, text);
            if (end == TaskEnd::failed) store.add_fault(run_number, entry, text);
            if (end == TaskEnd::given_up) store.give_up(run_number, entry, text);
        };
        outcome_ = judge_with_retries(
            tasks, retry_options_for(assignment, setup_, processes_, work_.path), on_task_end);
    }

    std::size_t count_missing() {
        const auto given_up_keys = store.given_up_keys(run_number);
        return static_cast<std::size_t>(
            std::ranges::count_if(entries_to_judge(), [&](const Entry& entry) {
                return !store.result(entry.key) && !given_up_keys.contains(entry.key);
            }));
    }

    std::string describe_judging() const {
        if (outcome_.judged_count == 0)
            return "Nothing had to be judged, because all results were already stored.\n";
        return format(
            "%zu submissions judged in %s with %s: %.0f per minute.\n", outcome_.judged_count,
            format_duration(outcome_.seconds).c_str(), format_count(processes_.jobs, "job").c_str(),
            60 * static_cast<double>(outcome_.judged_count) / std::max(outcome_.seconds, 1e-3));
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

JudgeSetup find_judge_setup(const fs::path& work_folder, std::optional<Tier> wanted_tier) {
    make_folder(work_folder, 0700);
    // Test the sandbox whenever the grader starts, because the sandbox may have been disabled in
    // the meantime.
    const Tier tier = find_secure_tier(work_folder, wanted_tier);
    // Include the sandbox in the grader's identity, so that every result records it.
    return {.grader = judge_identity() + " in sandbox " + name_of(tier),
            .toolchain = compiler_identity(grading_compiler()),
            .tier = tier};
}

ClassSubmissions read_submissions(const Assignment& assignment, const JudgeSetup& setup,
                                  const fs::path& submissions) {
    std::vector<std::string> names;
    for (const AssignedExercise& exercise : assignment.exercises) names.push_back(exercise.name);
    ClassSubmissions class_submissions;
    for (const Student& student : read_class(submissions, names)) {
        for (const Submission& submission : student.submissions) {
            Entry entry{.student = student.name,
                        .exercise = submission.exercise,
                        .key = "",
                        .source = submission.has_file() ? sha256_hex(submission.source) : "",
                        .problem = submission.problem,
                        .details = submission.details,
                        .platform_name = student.platform_name};
            entry.key = result_key(assignment, setup, entry);
            class_submissions.entries.push_back(std::move(entry));
            if (submission.has_file()) class_submissions.sources.insert(submission.source);
        }
    }
    return class_submissions;
}

std::vector<Entry> select_entries_to_judge(const std::vector<Entry>& entries, Store& store,
                                           bool should_rejudge) {
    std::vector<Entry> pending_entries;
    std::set<std::string> keys;
    for (const Entry& entry : entries) {
        if (!entry.problem.empty() || (!should_rejudge && store.result(entry.key))) continue;
        if (keys.insert(entry.key).second) pending_entries.push_back(entry);
    }
    return pending_entries;
}

std::string result_key(const Assignment& assignment, const JudgeSetup& setup, const Entry& entry) {
    const AssignedExercise* exercise = assignment.find(entry.exercise);
    if (exercise == nullptr) {
        throw UsageError("assignment.toml no longer has the exercise " + entry.exercise);
    }
    std::string submission =
        entry.problem.empty() ? entry.source : "problem:" + entry.problem + ":" + entry.details;
    return sha256_of_parts({submission, requirements_digest(*exercise), setup.grader,
                            setup.toolchain,
                            // The secret inputs depend on both the epoch and the key file.
                            std::to_string(assignment.epoch) + sha256_hex(assignment.key)});
}

RetryOptions retry_options_for(const Assignment& assignment, const JudgeSetup& setup,
                               const JudgingProcesses& processes, const fs::path& work_folder) {
    return {
        .worker_command = {current_executable(), "worker", "--folder", assignment.folder.string(),
                           "--work", work_folder.string(), "--tier", name_of(setup.tier)},
        .identity = assignment_identity(assignment),
        .jobs = processes.jobs,
        .is_quiet = processes.is_quiet,
        .solution = [&](const std::string& name) { return assignment.find(name)->solution; }};
}

Result make_problem_result(const Entry& entry, const std::string& sandbox) {
    Failure failure = failure_from_id(entry.problem);
    failure.headline = entry.details;
    failure.advice = advice_for_problem(entry.problem);
    return result_of_failure(Mark::rejected, failure, sandbox);
}

Result judge_submission(const Submission& submission, const AssignedExercise& exercise,
                        const Secret& secret, Judge& judge) {
    if (submission.has_file()) return judge.judge(submission.source, exercise, secret);
    return make_problem_result({.problem = submission.problem, .details = submission.details},
                               name_of(judge.tier()));
}

FileLock lock_assignment(const Assignment& assignment) {
    return {assignment.teacher_folder() / "lock", "the assignment " + assignment.name};
}

void OpenRun::store_problem_results(const JudgeSetup& setup, bool should_rejudge) {
    for (const Entry& entry : entries) {
        if (entry.problem.empty() || (!should_rejudge && store.result(entry.key))) continue;
        store.add_result(run_number, entry,
                         to_json(make_problem_result(entry, name_of(setup.tier))));
    }
}

ClassResults OpenRun::finish() {
    store.finish_run(run_number);
    ClassResults results = read_results(assignment, store);
    write_reports(results, assignment.results());
    return results;
}

void grade_class(const Assignment& assignment, const RunRequest& request,
                 const JudgingProcesses& processes, std::optional<Tier> tier, std::ostream& out) {
    ClassRun(assignment, request, processes, tier, out).grade();
}

}  // namespace coalesce::grader
