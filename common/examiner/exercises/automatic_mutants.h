/// \file
/// Plants typical mistakes in a solution: a barrier is removed, a bound is off by one, an atomic
/// operation becomes a plain one. These mutants show the author of an exercise which mistakes the
/// examiner detects.
#pragma once

#include <string>
#include <vector>

namespace coalesce::exercises {

/// A solution with one mistake.
struct AutomaticMutant {
    std::string description;  ///< the change, such as "without the barrier" or "<= instead of <"
    int line = 0;             ///< the line that was changed, counted from 1
    std::string text;         ///< the text of the whole file
};

/// Returns all mutants of a solution, ordered by line. The mutations never change comments,
/// preprocessor lines or `configure`.
std::vector<AutomaticMutant> make_mutants(const std::string& solution);

}  // namespace coalesce::exercises
