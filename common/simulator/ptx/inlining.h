// Which line does an inlined instruction belong to?
//
// Idea   `.loc 2 107 3, function_name F, inlined_at 1 12 5` says that line 107 of file 2 was
//        inlined at line 12 of file 1, which may have been inlined itself. Code of the learner's
//        own keeps its line, also when it was inlined. Code from the toolkit's headers (atomicAdd,
//        cooperative groups) counts as the line that called it: that is the one which the learner
//        can change. So does an asm statement in a function of its own: such a function is a word of
//        PTX with a name, and what can be wrong with it is where and with what it is called. (The PTX
//        in nvcc's programs has no comments, and does not say what stood in an asm statement: there it
//        keeps its line.)
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "simulator/ptx/ast.h"

namespace coalesce::simulator::ptx {

/// File, line and column.
using Position = std::tuple<u32, u32, u32>;

/// Of one function: who was inlined where, as far as the text has been read.
class Inlining {
public:
    /// A .loc: `callers` gets the lines that `position` was inlined at, innermost first.
    void note(Position position, Position caller) { callers_[position] = caller; }
    std::vector<SourceLine> callers_of(Position position) const;

private:
    std::map<Position, Position> callers_;
};

/// Gives every instruction of the module the line that the learner can change. Call it when all
/// files are known.
void resolve_inlining(Module& module);

}  // namespace coalesce::simulator::ptx
