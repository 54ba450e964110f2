/// \file
/// Creates an assignment from the course, and tests that it grades known submissions correctly.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "grader/class/run.h"

namespace coalesce::grader {

/// The parameters of a new assignment.
struct NewAssignment {
    std::filesystem::path folder;        ///< the folder to create, which must not exist yet
    std::string title;                   ///< the title for students, or "" to use the folder's name
    std::vector<std::string> exercises;  ///< names or numbers of the exercises to assign
    std::vector<double> points;  ///< points for each exercise, or empty to use the course's points
};

/// Creates the assignment, either completely or not at all. Throws UsageError if the request is
/// invalid.
void make_assignment(const NewAssignment& request);

/// A source to judge, and its required result.
struct ProofCase {
    std::string exercise;  ///< such as "03_tiled"
    std::string
        /// a description of the source, such as "the solution" or "mutant: no barrier"
        description;
    std::string source;      ///< the source to judge
    bool must_pass = false;  ///< whether the source must get all points
    std::string failure;     ///< the failure that must be reported, or "" for any
    /// The largest fraction of the exercise's points that a wrong source may get. If it is 1, the
    /// source may get any number of points except all of them.
    double max_share = 1;
};

/// The largest fraction of an exercise's points that a student may get without doing any work.
inline constexpr double kMaxShareWithoutWork = 0.4;

/// Returns the sources that `assignment verify` judges, with their required results. The solution
/// must get all points. The skeleton, the mutants and the cheating attempts must fail.
std::vector<ProofCase> list_proofs(const Assignment& assignment);

/// Judges all sources from list_proofs, and reports whether each gets its required result.
bool verify_assignment(const Assignment& assignment, const JudgingProcesses& processes,
                       std::optional<Tier> tier, std::ostream& out);

}  // namespace coalesce::grader
