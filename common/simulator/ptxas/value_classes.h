// Determines how often each register must be computed: once per launch, per block, per warp
// position, or by every warp of every block.
//
// Idea    If a register is written by a single instruction, which always gives the same result for
//         the same sources, it is as constant as the least constant of its sources. `mul.lo %r,
//         %ctaid.x, 32` is the same for all threads of a block, and `mad %tid.y, 132, tile` is the
//         same in every block.
// Rule    launch < block, launch < position; block and position together give thread.
// Right   Wherever that instruction is, in a branch or in a loop, it always gives this value, and a
//         program that reads the register has executed it before. So the value may be there from
//         the beginning. Sources must be written earlier in the text, so that the prologues, which
//         follow the text, have them in time.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "simulator/analysis/liveness.h"
#include "simulator/code/function_code.h"
#include "simulator/ptx/ast.h"

namespace coalesce::simulator {

struct Registers {
    std::vector<ValueClass> value_class;
    /// If the result of a `mov` or `cvta` is never needed beside another value of its source, it
    /// needs no instruction. `root` is then the register for which this one is another name;
    /// otherwise it is the register itself.
    std::vector<u32> root;
    /// By instruction of the body: whether it may be computed in a prologue.
    std::vector<bool> pure;
    std::vector<bool> is_copy;  ///< by instruction of the body: whether `root` makes it unnecessary
};

/// `in_kernel` is false for device functions, whose registers all have the class `thread`.
/// `of_block` has the variables whose addresses differ from block to block (shared variables in a
/// cluster).
Registers classify(const ptx::Function& function, bool in_kernel, const Liveness& liveness,
                   const std::map<std::string, u32>* of_block = nullptr);
/// For plain mode: nothing is moved, and every register is its own root.
Registers every_register_by_itself(const ptx::Function& function);
/// Returns the function with one name for each value, so that its instructions use only root
/// registers.
ptx::Function named_by_root(const ptx::Function& function, const Registers& registers);

}  // namespace coalesce::simulator
