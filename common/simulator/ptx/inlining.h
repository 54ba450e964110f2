// Finds the source line that an inlined instruction belongs to.
//
// Idea   `.loc 2 107 3, function_name F, inlined_at 1 12 5` says that line 107 of file 2 was
//        inlined at line 12 of file 1, which may have been inlined itself. The learner's own code
//        keeps its line, even when it was inlined. Code from the toolkit's headers (atomicAdd,
//        cooperative groups) gets the line that called it, because that is the line that the
//        learner can change. The same holds for a function that consists of an asm statement: such
//        a function only gives a PTX instruction a name, and what can be wrong is where it is
//        called and with which arguments. (The PTX in programs built with nvcc has no comments, so
//        nothing shows which instructions stood in an asm statement. There, they keep their
//        lines.)
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "simulator/ptx/ast.h"

namespace coalesce::simulator::ptx {

/// File, line and column.
using Position = std::tuple<u32, u32, u32>;

/// Records, for one function, which code was inlined where, as far as the text has been read.
class Inlining {
public:
    /// Records that `position` was inlined at `caller`.
    void note(Position position, Position caller) { callers_[position] = caller; }
    /// Returns the lines that `position` was inlined at, innermost first.
    std::vector<SourceLine> callers_of(Position position) const;

private:
    std::map<Position, Position> callers_;
};

/// Gives every instruction of the module the line that the learner can change. It must be called
/// when all files are known.
void resolve_inlining(Module& module);

}  // namespace coalesce::simulator::ptx
