/// \file
/// Finds a learner's mistake by experiment, if the examiner's rules (examiner/rules.h) do not find
/// it. The search tries small changes to the learner's text, and returns the change with which the
/// kernel passes every check.
///
/// Each change is compiled and launched on the shape on which the kernel failed. Almost all changes
/// fail there. A change that passes must then pass the whole examination.
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
    /// the time after which no more changes are tried; on a busy machine, the search may take
    /// longer
    std::chrono::milliseconds time = std::chrono::milliseconds(3500);
    std::size_t most_changes = 400;  ///< the maximum number of changes to try
    /// The lines of the file that the learner did not have to write, in order. The mistake is
    /// probably in another line.
    std::vector<std::string> given_lines = {};
    /// Reports whether a changed text passes every check of the exercise. The search calls this
    /// function in child processes.
    std::function<bool(const Source&)> passes = {};
};

/// Reports whether a search is possible and worthwhile: the rules leave the cause of the failure
/// open, the kernel ran on the simulated GPU, and the examiner uses NVRTC.
bool is_worth_searching(const Verdict& verdict);

/// Returns the change with which the kernel passes every check. Returns nothing if no such change
/// is found, or if the kernel also passes with other, equally likely changes that have a different
/// meaning. `verdict` is the verdict on the unchanged text.
std::optional<PassingChange> find_passing_change(const Source& source, const Exercise& exercise,
                                                 const Verdict& verdict,
                                                 const SearchOptions& options);

}  // namespace coalesce::changes
