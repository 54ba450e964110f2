// Orders the changes of a file by how likely they undo the learner's mistake.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "examiner/changes/change.h"
#include "examiner/failure.h"

namespace coalesce::changes {

/// Returns the changes to try, the most likely first. The place and the kind of the failure decide
/// which lines and which kinds of changes come first. Each text occurs once.
std::vector<Change> list_changes(const Program& program, const Failure& failure);

}  // namespace coalesce::changes
