/// \file
/// Grades a class on many computers. A plan divides the work into chunks. Each chunk is judged on
/// one computer, which writes the results to the plan's folder. A merge adds the results of all
/// chunks to the store. The computers either share the plan's folder, or receive a copy of it and
/// send results/ back.
///
///     PLAN/plan.json       everything that results depend on, all submissions, and the chunks
///     PLAN/matrix.json     {"chunk": [1, 2, ...]}, for GitHub Actions
///     PLAN/slurm.sbatch    the job for Slurm
///     PLAN/sources/DIGEST  submissions
///     PLAN/results/KEY     results, each sealed with the assignment's key
///
/// A chunk may also run on two computers, or be stopped and restarted. The first result of a
/// submission is kept, and every later result of the same submission must be byte-identical.
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

/// The maximum number of chunks in a plan. GitHub Actions allows at most this many jobs in a
/// matrix.
constexpr int kMaxChunks = 256;

/// A plan as read from its folder.
struct Plan {
    std::filesystem::path folder;  ///< the plan's folder
    std::string assignment;
    std::string identity;                         ///< digest of the assignment and its secrets
    JudgeSetup setup;                             ///< the setup that every computer must have
    std::vector<Entry> entries = {};              ///< all submissions
    std::vector<std::vector<Entry>> chunks = {};  ///< the submissions to judge in each chunk

    /// Returns the number of submissions in all chunks.
    std::size_t task_count() const;
    /// Returns the path of the file that stores the result of the submission with this key.
    std::filesystem::path result_file(const std::string& key) const;
    /// Returns the submissions of a chunk that have no result yet. Chunks are numbered from 1.
    std::vector<Entry> missing_entries(std::size_t chunk) const;
};

void describe(auto& codec, Entry& entry) {
    codec::BinaryString student{entry.student}, details{entry.details},
        platform_name{entry.platform_name};
    fields(codec, "student", student, "exercise", entry.exercise, "key", entry.key, "source",
           entry.source, "problem", entry.problem, "details", details, "platform_name",
           platform_name);
}

/// Returns the content of a result file: the result, and a seal that can be computed only with the
/// assignment's key.
std::string seal_result(const Assignment& assignment, const std::string& key,
                        const std::string& result);
/// Returns the result in a sealed file. Throws InfrastructureError if the seal is wrong, because
/// the file is incomplete or was written without the assignment's key.
std::string open_sealed_result(const Assignment& assignment, const std::string& key,
                               const std::string& sealed);

/// The parameters of a new plan.
struct PlanRequest {
    std::filesystem::path submissions;  ///< a folder or an archive
    std::filesystem::path destination;  ///< the plan's folder, which must not exist yet
    /// The number of chunks, or 0 to give each chunk work for at least `chunk_seconds` of processor
    /// time.
    int chunks = 0;
    /// minimum processor time per chunk in seconds; used only if `chunks` is 0
    double chunk_seconds = 30;
};

/// Writes a plan atomically. The plan leaves out submissions that already have a result in the
/// store.
void make_plan(const Assignment& assignment, const PlanRequest& request, std::optional<Tier> tier,
               std::ostream& out);

/// Reads a plan. Throws UsageError if the folder does not contain a plan.
Plan read_plan(const std::filesystem::path& folder);

/// Judges the submissions of a chunk that have no result yet. Throws InfrastructureError if this
/// computer's grader or compiler differs from the plan's, or if results are still missing at the
/// end.
void judge_chunk(const Assignment& assignment, const Plan& plan, std::size_t chunk,
                 const JudgingProcesses& processes, std::ostream& out);

/// Adds the results of all chunks to the store as one run, and writes the reports. If some results
/// are missing, stores the others and throws InfrastructureError.
void merge_plan(const Assignment& assignment, const Plan& plan, std::ostream& out);

/// Returns a text that states how many results exist, and which chunks are unfinished.
std::string plan_status(const Plan& plan);

}  // namespace coalesce::grader
