// Determines the control flow of a function: the possible successors of each basic block, and the
// loops.
//
// Idea   Compilers arrange loops in many ways: the end may come first in the text, and a loop may
//        have several entries and exits. So this analysis does not depend on the order of the text.
//        A loop is a set of blocks in which each block can be reached from every other.
#pragma once

#include <vector>

#include "simulator/ptx/ast.h"

namespace coalesce::simulator {

/// The instructions in the range [begin, end) of a function's body. A lane that executes one
/// instruction of a block executes all of them.
struct BasicBlock {
    u32 begin = 0, end = 0;
    std::vector<u32> successors;  ///< the indices of the blocks that may run next
    /// the id of the block's loop; blocks that can reach each other have the same id
    u32 loop_id = 0;
};

/// Reports whether a lane may continue from the end of the block to the next block in the text.
bool falls_through(const ptx::Function& function, const BasicBlock& block);
/// Sets BasicBlock::loop_id. A loop gets a higher id than the loops that can run after it.
void assign_loop_ids(std::vector<BasicBlock>& blocks);

class ControlFlow {
public:
    explicit ControlFlow(const ptx::Function& function);

    const std::vector<BasicBlock>& blocks() const { return blocks_; }
    const BasicBlock& block_at(u32 instruction) const {
        return blocks_[block_of_instruction_[instruction]];
    }
    /// Returns the predecessors of a block. A predecessor with several edges to the block is listed
    /// once per edge.
    const std::vector<u32>& predecessors(u32 block) const { return predecessors_[block]; }
    /// Returns the blocks of a loop iteration that starts at the instruction `branch_target` and
    /// ends with `branch_instruction`, which branches back to the start. Returns an empty list if
    /// the two instructions are not in the same loop.
    std::vector<u32> blocks_of_iteration(u32 branch_instruction, u32 branch_target) const;

private:
    std::vector<BasicBlock> blocks_;
    std::vector<std::vector<u32>> predecessors_;  ///< for each block, its predecessors
    std::vector<u32> block_of_instruction_;  ///< for each instruction, the block that contains it
};

/// The dominators of each block. Block A dominates block B if every path from the function's entry
/// to B passes through A.
class Dominators {
public:
    explicit Dominators(const ControlFlow& flow);

    /// Returns the immediate dominator of a block, or kNone for the first block and for unreachable
    /// blocks.
    u32 immediate_dominator(u32 block) const { return immediate_dominators_[block]; }
    bool dominates(u32 dominator, u32 block) const;

private:
    u32 find_common_dominator(u32 first_block, u32 second_block) const;

    std::vector<u32> immediate_dominators_;
};

/// Returns the possible targets of a branch, as indices into the body. Omits names that are not
/// labels of the function, because lowering rejects these names.
std::vector<u32> branch_targets(const ptx::Function& function, const ptx::Instruction& instruction);

}  // namespace coalesce::simulator
