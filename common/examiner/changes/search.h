/// \file
/// Finds the learner's mistake by experiment, where the rules leave the cause open: tries small
/// changes of the learner's text, and names the one with which the kernel passes every check.
///
/// Each change is compiled and launched on the shape on which the kernel failed. This rules out
/// almost all changes. A change that survives must pass the whole examination.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "examiner/course/exercise.h"
#include "examiner/passing_change.h"
#include "examiner/source.h"
#include "examiner/verdict.h"

namespace coalesce::changes {

/// The options of a search.
struct SearchOptions {
    /// the time after which no more changes are tried, or more on a busy machine
    std::chrono::milliseconds time = std::chrono::milliseconds(3500);
    std::size_t most_changes = 400;  ///< the number of changes after which the search ends
    /// The lines of the file that the learner did not have to write, in order. The mistake is
    /// probably in another line.
    std::vector<std::string> given_lines = {};
    /// Reports whether a changed text passes every check of the exercise. The search calls this
    /// function in child processes.
    std::function<bool(const Source&)> passes = {};
};

/// Reports whether the rules leave the cause of a failure open, so that a search is worthwhile.
bool is_worth_searching(const Verdict& verdict);

/// Returns the change with which the kernel passes every check. Returns nothing if there is no such
/// change, or if several changes pass that are equally likely but differ in meaning. `verdict` is
/// the verdict on the unchanged text.
std::optional<PassingChange> find_passing_change(const Source& source, const Exercise& exercise,
                                                 const Verdict& verdict,
                                                 const SearchOptions& options);

}  // namespace coalesce::changes
