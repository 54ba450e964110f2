/// \file
/// Grades a class on many computers. A plan divides the work into chunks, each chunk writes
/// results, and a merge adds these to the store. The computers either share the plan's folder, or
/// get a copy and return its results/.
///
///     PLAN/plan.json       everything that results depend on, all submissions, and the chunks
///     PLAN/matrix.json     {"chunk": [1, 2, ...]}, for GitHub Actions
///     PLAN/slurm.sbatch    the job for Slurm
///     PLAN/sources/DIGEST  submissions
///     PLAN/results/KEY     results, each with a seal that only the assignment's key can make
///
/// A chunk may run on two computers, or be stopped and started again. The first result of a
/// submission is kept, and every later one must be byte-identical.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "base/codec.h"
#include "grader/class/manifest.h"
#include "grader/class/run.h"
#include "grader/store/store.h"

namespace coalesce::grader {

/// The maximum number of chunks in a plan. It is GitHub Actions' limit for a matrix, and enough for
/// any class.
constexpr int kMaxChunks = 256;

/// A plan as read from its folder.
struct Plan {
    std::filesystem::path folder;                 ///< the plan's folder
    std::string assignment;                       ///< name of the assignment
    std::string identity;                         ///< identity of the assignment, including its key
    JudgeSetup setup;                             ///< the setup that every computer must have
    std::vector<Entry> entries = {};              ///< all submissions
    std::vector<std::vector<Entry>> chunks = {};  ///< the submissions to judge in each chunk

    /// Returns the number of submissions in all chunks.
    std::size_t tasks() const;
    /// Returns the path of the file for the result with this key.
    std::filesystem::path result(const std::string& key) const;
    /// Returns the submissions of a chunk that have no result yet. Chunks are numbered from 1.
    std::vector<Entry> missing(std::size_t chunk) const;
};

void describe(auto& codec, Entry& entry) {
    codec::BinaryString student{entry.student}, details{entry.details},
        platform_name{entry.platform_name};
    fields(codec, "student", student, "exercise", entry.exercise, "key", entry.key, "source",
           entry.source, "problem", entry.problem, "details", details, "platform_name",
           platform_name);
}

/// Returns the content of a result file: the result with a seal that only the assignment's key can
/// make.
std::string seal_result(const Assignment& assignment, const std::string& key,
                        const std::string& result);
/// Returns the result in a sealed file. Throws InfrastructureError if the seal is wrong, which
/// means that the file is incomplete or was written without the key.
std::string open_sealed_result(const Assignment& assignment, const std::string& key,
                               const std::string& sealed);

/// The parameters of a new plan.
struct PlanRequest {
    std::filesystem::path submissions;  ///< a folder or an archive
    std::filesystem::path to;           ///< the plan's folder, which must not exist yet
    int chunks = 0;       ///< number of chunks, or 0 to give each chunk `seconds` of work
    double seconds = 30;  ///< minimum work per chunk, in seconds on one processor
};

/// Writes a plan, completely or not at all. `tier` has the same meaning as in JudgeOptions.
/// Submissions that already have a result in the store are left out.
void make_plan(const Assignment& assignment, const PlanRequest& request, std::optional<Tier> tier,
               std::ostream& out);

/// Reads a plan. Throws UsageError.
Plan read_plan(const std::filesystem::path& folder);

/// Judges the submissions of a chunk that have no result yet. Throws InfrastructureError
/// immediately if this computer could judge differently from the computer that made the plan, and
/// at the end if results are still missing.
void judge_chunk(const Assignment& assignment, const Plan& plan, std::size_t chunk,
                 const JudgingProcesses& processes, std::ostream& out);

/// Stores the results of all chunks as a run of the class and writes the reports. If results are
/// missing, stores the existing results and throws InfrastructureError.
void merge_plan(const Assignment& assignment, const Plan& plan, std::ostream& out);

/// Describes the progress of the chunks.
std::string plan_status(const Plan& plan);

}  // namespace coalesce::grader
