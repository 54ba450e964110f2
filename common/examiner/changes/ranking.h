// Orders the changes of a file by how likely they undo the learner's mistake.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "examiner/changes/change.h"
#include "examiner/failure.h"

namespace coalesce::changes {

/// Returns the changes to try, the most likely first. The failure's place and kind determine which
/// lines and which kinds of changes come first. Changes of `given_lines`, which the learner has not
/// written, come last. If several changes produce the same text, only the most likely one is
/// returned.
std::vector<Change> list_changes(const Program& program, const Failure& failure,
                                 const std::set<int>& given_lines = {});

/// Returns the numbers of those lines of `text` that also occur, in the same order, in `given`.
std::set<int> find_given_lines(const std::string& text, const std::vector<std::string>& given);

}  // namespace coalesce::changes
