// A change to a learner's text that a search (changes/search.h) found.
#pragma once

#include <string>

#include "examiner/failure.h"

namespace coalesce {

/// A small change to the learner's text with which the kernel passes every check. The change is the
/// result of an experiment, so it suggests the cause of a failure but does not prove it.
struct PassingChange {
    Place place;           ///< the place of the change in the learner's file
    std::string sentence;  ///< "Line 14 reads `row` where `col` would make the kernel pass ..."
    /// The text to replace, and its replacement. Both are empty if the change adds, removes or
    /// moves a statement.
    std::string before, after;
};

}  // namespace coalesce
