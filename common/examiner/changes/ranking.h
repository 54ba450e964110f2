// Orders the changes of a file by how likely they undo the learner's mistake.
#pragma once

#include <vector>

#include "examiner/changes/change.h"
#include "examiner/failure.h"

namespace coalesce::changes {

/// Returns the changes to try, the most likely first. The failure's place and kind determine which
/// lines and which kinds of changes come first. If several changes produce the same text, only the
/// most likely one is returned.
std::vector<Change> list_changes(const Program& program, const Failure& failure);

}  // namespace coalesce::changes
