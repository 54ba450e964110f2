/// \file
/// Makes an assignment from the course, and proves it.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "grader/class/run.h"

namespace coalesce::grader {

/// What is to be made.
struct NewAssignment {
    std::filesystem::path folder;        ///< where it goes: must not be there yet
    std::string title;                   ///< for students; "": its name
    std::vector<std::string> exercises;  ///< names or numbers
    std::vector<double> points;          ///< of each; {}: those of the course
};

/// Makes it, whole or not at all. Throws UsageError.
void make_assignment(const NewAssignment& request);

/// Something that has to come out in a certain way.
struct Proof {
    std::string exercise;    ///< "03_tiled"
    std::string what;        ///< "the solution", "mutant: no barrier", "cheat: ..."
    std::string source;      ///< what is judged
    bool must_pass = false;  ///< all points; else not all of them
    std::string failure;     ///< what should be found; "": anything
    double most_share = 1;   ///< of the points that it may get; 1: not all of them
};

/// What somebody may get of an exercise's points who has done nothing for it.
inline constexpr double kMostForNothing = 0.4;

/// All that is to be proved of an assignment: the solution passes; the blank, the mutants and
/// attempts to cheat do not; the blank and the solution of the previous lesson get little.
std::vector<Proof> proofs_of(const Assignment& assignment);

/// Judges all of them; true when everything came out as it has to.
bool verify_assignment(const Assignment& assignment, const JudgingProcesses& processes,
                       std::optional<Tier> tier, std::ostream& out);

}  // namespace coalesce::grader
