/// \file
/// Grading a class: who handed in what is written down first, then each submission is judged and its
/// result stored at once; the reports come from the store.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "grader/class/manifest.h"
#include "grader/class/submissions.h"
#include "grader/store/store.h"

namespace coalesce::grader {

/// What is asked for.
struct RunRequest {
    std::filesystem::path submissions;  ///< a folder or an archive; "" when resuming
    int jobs = 1;                       ///< judging processes
    bool resumes = false;               ///< goes on with the last run
    bool again = false;                 ///< judges what has a result too, and compares
    std::optional<Tier> tier = {};      ///< as JudgeOptions has it
    bool is_quiet = false;              ///< no progress
    std::vector<std::string> worker;    ///< the command that judges; options are added
};

/// What the results of a computer depend on, beside the assignment.
struct JudgeSetup {
    std::string grader;      ///< identity of the judge, with its sandbox
    std::string toolchain;   ///< identity of the compiler
    Tier tier = Tier::none;  ///< of the sandbox

    /// What a run's results are stamped with: "" or "unsandboxed".
    std::string stamp() const { return tier == Tier::unsandboxed ? name_of(tier) : ""; }
};

/// Tries the sandbox out, with a file in `work_folder`, which is made. Throws Infrastructure when there
/// is none, or not the one that is `wanted`; for `unsandboxed` nothing is tried.
JudgeSetup find_judge_setup(const std::filesystem::path& work_folder, std::optional<Tier> wanted);
/// The tier of that name ("A"); nothing for other names.
std::optional<Tier> tier_called(const std::string& name);

/// The entry of what was handed in.
Entry entry_of(const Assignment& assignment, const JudgeSetup& setup, const std::string& student,
               const Handed& handed);
/// The key of the result of an entry.
std::string key_of_entry(const Assignment& assignment, const JudgeSetup& setup, const Entry& entry);
/// The command of a judging process.
std::vector<std::string> worker_command(const Assignment& assignment, const JudgeSetup& setup,
                                        std::vector<std::string> program,
                                        const std::filesystem::path& work_folder);
/// The result of what cannot be judged: a missing file, a broken archive.
Result result_of_problem(const Entry& entry, const std::string& sandbox);

/// Grades a class. Throws UsageError, or Infrastructure when something is not graded yet.
void grade_class(const Assignment& assignment, const RunRequest& request, std::ostream& out);

}  // namespace coalesce::grader
