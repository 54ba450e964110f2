/// \file
/// Reads solutions/NN_name/mutants.toml, which lists the failures that an exercise's check must
/// find.
///
///     [blank]                          # the skeleton, unchanged
///     failure = "nothing-written"
///     failure_by_clang = "..."         # if clang removes code that uses unwritten values
///
///     [hunt]                           # the bug hunt, unchanged; left out if there is none
///     failure = "grid-too-small"
///     first_shape = "right"            # right on the first shape; or "wrong"
///
///     [[mutant]]                       # the solution with a mistake that learners make
///     name = "no bounds check"
///     replace = "if (row < rows && col < cols) {"    # occurs in the solution exactly once
///     with = "{"
///     failure = "no-bounds-check"      # an identifier of examiner/failure.h
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "examiner/exercises/skeleton.h"

namespace coalesce::exercises {

/// A solution with one mistake.
struct Mutant {
    std::string name;         ///< such as "no bounds check"
    std::string replace;      ///< the text to replace in the solution
    std::string replacement;  ///< the text that replaces it
    std::string failure;      ///< identifier of the failure that the check must find
    int line = 0;             ///< line in mutants.toml
};

/// The contents of mutants.toml.
struct Mutants {
    std::string blank_failure;           ///< failure of the skeleton
    std::string blank_failure_by_clang;  ///< failure of the skeleton when clang compiles it
    std::string hunt_failure;            ///< failure of the bug hunt; "" if there is no hunt
    bool passes_unmodified_hunt = true;  ///< whether the bug hunt is correct on the first shape
    std::vector<Mutant> mutants;         ///< the mutants, in the order in which the file lists them
};

/// The minimum number of mutants per exercise.
constexpr std::size_t kMinMutants = 4;

/// Reads a mutants.toml file. If the file is invalid, throws a course::CourseError that names the
/// line.
Mutants read_mutants(const std::filesystem::path& file);

/// Returns the solution with the mistake applied. Throws UsageError if the text to replace does not
/// occur exactly once, or if the replacement changes nothing.
std::string apply_mutant(const Mutant& mutant, const std::string& solution);

}  // namespace coalesce::exercises
