/// \file
/// Grading a class: who handed in what is written down first, then each submission is judged and its
/// result stored at once; the reports come from the store.
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

/// Who judges.
struct JudgingProcesses {
    int jobs = 1;           ///< how many
    bool is_quiet = false;  ///< without progress
};

/// What is asked for.
struct RunRequest {
    std::filesystem::path submissions;  ///< a folder or an archive; "" when resuming
    bool resumes = false;               ///< goes on with the last run
    bool again = false;                 ///< judges what has a result too, and compares
};

/// What the results of a computer depend on, beside the assignment.
struct JudgeSetup {
    std::string grader;      ///< identity of the judge, with its sandbox
    std::string toolchain;   ///< identity of the compiler
    Tier tier = Tier::none;  ///< of the sandbox

    /// What a run's results are stamped with: "" or "unsandboxed".
    std::string stamp() const { return tier == Tier::unsandboxed ? name_of(tier) : ""; }
};

/// Tries the sandbox out, with a file in `work_folder`, which is made. Throws std::runtime_error when there is
/// none, or not the one that is `wanted`; for `unsandboxed` nothing is tried.
JudgeSetup find_judge_setup(const std::filesystem::path& work_folder, std::optional<Tier> wanted);

/// A class as it was handed in.
struct HandedIn {
    std::vector<Entry> entries;
    std::set<std::string> sources;  ///< of all that can be judged
};
HandedIn read_handed_in(const Assignment& assignment, const JudgeSetup& setup,
                        const std::filesystem::path& submissions);
/// Entries that can be judged and have no result in the store, or have one and are judged `again`. The same file
/// from several is there once.
std::vector<Entry> to_be_judged(const std::vector<Entry>& entries, Store& store, bool again);
/// The key of the result of an entry.
std::string key_of_entry(const Assignment& assignment, const JudgeSetup& setup, const Entry& entry);
/// How submissions of an assignment are judged to the end.
Rounds rounds_of(const Assignment& assignment, const JudgeSetup& setup,
                 const JudgingProcesses& processes, const std::filesystem::path& work_folder);
/// The result of what cannot be judged: a missing file, a broken archive.
Result result_of_problem(const Entry& entry, const std::string& sandbox);
/// The result of what was handed in, whether it can be judged or not.
Result result_of(const Handed& handed, const Assigned& exercise, const Secret& secret,
                 Judge& judge);

/// Nobody else works on the assignment while this is there. Throws Infrastructure when somebody does.
FileLock lock_of(const Assignment& assignment);

/// A run of the store while its results come in.
struct OpenRun {
    explicit OpenRun(const Assignment& of) : assignment(of), lock(lock_of(of)), store(of.store()) {}
    /// What cannot be judged has its result at once.
    void settle_problems(const JudgeSetup& setup, bool again = false);
    /// All is there: writes the reports.
    ClassResults finish();

    const Assignment& assignment;
    FileLock lock;
    Store store;
    std::vector<Entry> entries = {};
    std::int64_t number = 0;
};

/// Grades a class; `tier` as JudgeOptions has it. Throws UsageError, or Infrastructure when something is not
/// graded yet.
void grade_class(const Assignment& assignment, const RunRequest& request,
                 const JudgingProcesses& processes, std::optional<Tier> tier, std::ostream& out);

}  // namespace coalesce::grader
