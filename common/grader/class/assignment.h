/// \file
/// Makes an assignment from the course, and proves that it grades correctly.
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
    std::filesystem::path folder;        ///< the folder to create; must not exist
    std::string title;                   ///< the title that students see; "": the name
    std::vector<std::string> exercises;  ///< names or numbers of the exercises
    std::vector<double> points;          ///< points of each exercise; {}: those of the course
};

/// Makes the assignment, completely or not at all. Throws UsageError.
void make_assignment(const NewAssignment& request);

/// A submission with a required result.
struct Proof {
    std::string exercise;    ///< "03_tiled"
    std::string what;        ///< "the solution", "mutant: no barrier", "cheat: ..."
    std::string source;      ///< the source to judge
    bool must_pass = false;  ///< it must get all points; otherwise it must not
    std::string failure;     ///< the failure that should be found; "": any
    double most_share = 1;   ///< largest fraction of the points; 1: anything less than all
};

/// The largest fraction of an exercise's points that a student may get for no work.
inline constexpr double kMostForNothing = 0.4;

/// Returns everything to prove about an assignment: the solution passes; the skeleton, the mutants and attempts to
/// cheat do not; the skeleton and the solution of the previous lesson get few points.
std::vector<Proof> proofs_of(const Assignment& assignment);

/// Judges all proofs. Returns whether each has the required result.
bool verify_assignment(const Assignment& assignment, const JudgingProcesses& processes,
                       std::optional<Tier> tier, std::ostream& out);

}  // namespace coalesce::grader
