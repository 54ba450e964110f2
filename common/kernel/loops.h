// The loops of a learner's file, by its text alone.
#pragma once

#include <string>
#include <vector>

namespace coalesce {

/// A loop, its header included.
struct Loop {
    int first_line = 0;    ///< from 1
    int last_line = 0;     ///< with its closing brace
    int barrier_line = 0;  ///< of the first barrier in it; 0: there is none
};

/// All loops of a text, inner ones too.
std::vector<Loop> loops_of(const std::string& text);
/// The innermost loop around a line; nullptr when there is none.
const Loop* innermost_loop(const std::vector<Loop>& loops, int line);

}  // namespace coalesce
