// Finds the source line to which an inlined instruction belongs.
//
// Idea   `.loc 2 107 3, function_name F, inlined_at 1 12 5` means that line 107 of file 2 was
//        inlined at line 12 of file 1. The learner's own code keeps its line, even if it was
//        inlined. Code from the toolkit's headers (atomicAdd, cooperative groups) gets the line of
//        the call, because the learner can change only that line. The code of a function that
//        consists of an asm statement also gets the line of the call, because the mistake is then
//        in the call or its arguments. (The PTX that nvcc embeds in a program does not show which
//        instructions come from an asm statement. There, only instructions that C++ cannot express,
//        such as bulk copies, get the line of the call.)
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "simulator/ptx/ast.h"

namespace coalesce::simulator::ptx {

/// A file, a line and a column.
using Position = std::tuple<u32, u32, u32>;

/// The calls by which code was inlined into a function, as far as the function has been read.
class Inlining {
public:
    /// Records that `position` was inlined at `caller`.
    void add_caller(Position position, Position caller) { callers_[position] = caller; }
    /// Returns the lines of the calls through which `position` was inlined, innermost first.
    std::vector<SourceLine> find_callers(Position position) const;

private:
    std::map<Position, Position> callers_;
};

/// Sets the line of every inlined instruction to a line that the learner can change. Must be called
/// after all .file directives have been read.
void resolve_inlining(Module& module);

}  // namespace coalesce::simulator::ptx
