/// \file
/// A class graded by many computers: a plan with chunks of work, a result for each submission, and
/// the merging of all of them into the store. The computers share the plan's folder, or are sent it
/// and send back what is in its results/.
///
///     PLAN/plan.json       what all of it depends on, who handed in what, and the chunks
///     PLAN/matrix.json     {"chunk": [1, 2, ...]}, as GitHub Actions wants it
///     PLAN/slurm.sbatch    as Slurm wants it
///     PLAN/sources/DIGEST  what was handed in
///     PLAN/results/KEY     results, each with a seal that only the assignment's key can make
///
/// A chunk may be run by two computers, stopped and begun again: whoever has a result first writes
/// it, and whoever comes later finds it there, the same to the last byte.
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

/// The most jobs that GitHub Actions makes of one matrix, and enough for any class.
constexpr int kMostChunks = 256;

/// A plan, read from its folder.
struct Plan {
    std::filesystem::path folder;                 ///< where it is
    std::string assignment;                       ///< its name
    std::string identity;                         ///< of the assignment with its key
    JudgeSetup setup;                             ///< what every computer must agree with
    std::vector<Entry> entries = {};              ///< who handed in what
    std::vector<std::vector<Entry>> chunks = {};  ///< what of it is to be judged

    /// All submissions of all chunks.
    std::size_t tasks() const;
    /// The file of a result.
    std::filesystem::path result(const std::string& key) const;
    /// Tasks of a chunk (from 1) that have no result yet.
    std::vector<Entry> missing(std::size_t chunk) const;
};

void describe(auto& codec, Entry& entry) {
    codec::AnyBytes student{entry.student}, details{entry.details};
    fields(codec, "student", student, "exercise", entry.exercise, "key", entry.key, "source",
           entry.source, "problem", entry.problem, "details", details);
}

/// A result as it lies in the plan's folder, with a seal that only the assignment's key can make.
std::string sealed_result(const Assignment& assignment, const std::string& key,
                          const std::string& result);
/// The result of that key. Throws Infrastructure when the seal is broken: the file is not whole, or
/// nobody who has the key wrote it.
std::string opened_result(const Assignment& assignment, const std::string& key,
                          const std::string& sealed);

/// What is asked for.
struct PlanRequest {
    std::filesystem::path submissions;  ///< a folder or an archive
    std::filesystem::path to;           ///< the plan's folder: must not be there yet
    int chunks = 0;                     ///< 0: as many as give each `seconds` of work
    double seconds = 30;                ///< of one processor, at least
};

/// Writes a plan, whole or not at all; `tier` as JudgeOptions has it. What the store has a result for is not
/// planned again.
void make_plan(const Assignment& assignment, const PlanRequest& request, std::optional<Tier> tier,
               std::ostream& out);

/// Reads a plan. Throws UsageError.
Plan read_plan(const std::filesystem::path& folder);

/// Judges what is missing of a chunk. Throws Infrastructure when something is still missing after it,
/// and at once when this computer would judge otherwise than the one that made the plan.
void judge_chunk(const Assignment& assignment, const Plan& plan, std::size_t chunk,
                 const JudgingProcesses& processes, std::ostream& out);

/// Puts the results into the store as a run of the class, and writes the reports. Throws
/// Infrastructure when some are missing: those that are there are stored all the same.
void merge_plan(const Assignment& assignment, const Plan& plan, std::ostream& out);

/// How far the chunks are, in words.
std::string plan_status(const Plan& plan);

}  // namespace coalesce::grader
