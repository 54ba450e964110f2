/// \file
/// Grades a class. First, all submissions are recorded. Then each submission is judged, and its
/// result is stored immediately. Finally, the reports are written from the store.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "grader/class/manifest.h"
#include "grader/class/results.h"
#include "grader/class/rounds.h"
#include "grader/class/submissions.h"
#include "grader/store/files.h"
#include "grader/store/store.h"

namespace coalesce::grader {

/// The options of the judging processes.
struct JudgingProcesses {
    int jobs = 1;           ///< number of processes
    bool is_quiet = false;  ///< whether to hide the progress
};

/// The parameters of a run.
struct RunRequest {
    std::filesystem::path submissions;  ///< the class's folder or archive, or "" to resume
    bool should_resume = false;         ///< whether to continue the last run
    /// Whether to judge entries again that already have a result. The new result is compared with
    /// the old one.
    bool should_rejudge = false;
};

/// The grader, the compiler and the sandbox that judge submissions. The result of a submission
/// depends on all three and on the assignment.
struct JudgeSetup {
    std::string grader;      ///< identifiers of the judge and the sandbox
    std::string toolchain;   ///< identifier of the compiler
    Tier tier = Tier::none;  ///< tier of the sandbox

    /// Returns "unsandboxed" if the run has no sandbox, otherwise "".
    std::string sandbox_note() const { return tier == Tier::unsandboxed ? name_of(tier) : ""; }
};

/// Chooses a sandbox, and tests it in `work_folder`, which this function creates. If `wanted_tier`
/// is set, tests only this tier, and accepts the tier `unsandboxed` without a test. Throws
/// std::runtime_error if no sandbox starts and stops every attack.
JudgeSetup find_judge_setup(const std::filesystem::path& work_folder,
                            std::optional<Tier> wanted_tier);

struct ClassSubmissions {
    std::vector<Entry> entries;
    std::set<std::string> sources;  ///< texts of the sources that can be judged
};
ClassSubmissions read_submissions(const Assignment& assignment, const JudgeSetup& setup,
                                  const std::filesystem::path& submissions);
/// Returns the entries that must be judged: those with a source that can be judged, but without a
/// result in the store. If `should_rejudge` is true, includes entries with a result.
std::vector<Entry> select_entries_to_judge(const std::vector<Entry>& entries, Store& store,
                                           bool should_rejudge);
std::string result_key(const Assignment& assignment, const JudgeSetup& setup, const Entry& entry);
/// Returns the parameters for judging submissions of an assignment.
RetryOptions retry_options_for(const Assignment& assignment, const JudgeSetup& setup,
                               const JudgingProcesses& processes,
                               const std::filesystem::path& work_folder);
/// Returns the result for a submission that cannot be judged, for example because a file is
/// missing.
Result make_problem_result(const Entry& entry, const std::string& sandbox);
/// Judges a submission. A submission that cannot be judged gets a result that states the problem.
Result judge_submission(const Submission& submission, const AssignedExercise& exercise,
                        const Secret& secret, Judge& judge);

/// Acquires the assignment's lock. Throws InfrastructureError if another process holds it.
FileLock lock_assignment(const Assignment& assignment);

/// A run in the store that is still receiving results.
struct OpenRun {
    explicit OpenRun(const Assignment& class_assignment)
        : assignment(class_assignment),
          lock(lock_assignment(class_assignment)),
          store(class_assignment.store()) {}
    /// Stores the results of submissions that cannot be judged.
    void store_problem_results(const JudgeSetup& setup, bool should_rejudge = false);
    /// Ends the run, and writes the reports. Must be called after the last result has been stored.
    ClassResults finish();

    const Assignment& assignment;
    FileLock lock;
    Store store;
    std::vector<Entry> entries = {};
    /// The files that the students submitted in earlier runs. Empty if the assignment counts only a
    /// student's last file.
    std::vector<Entry> earlier_runs_entries = {};
    std::int64_t run_number = 0;
};

/// Grades a class. `tier` is the sandbox tier, or empty for the best tier that works on this
/// computer. Throws UsageError if the request is invalid, and InfrastructureError if a submission
/// could not be graded.
void grade_class(const Assignment& assignment, const RunRequest& request,
                 const JudgingProcesses& processes, std::optional<Tier> tier, std::ostream& out);

}  // namespace coalesce::grader
