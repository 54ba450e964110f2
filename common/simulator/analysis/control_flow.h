// Where a lane can go from each instruction of a function, and which instructions lie on a common loop.
//
// Idea   Compilers lay loops out as they like: end first, entered in their middle, with several ways in and
//        out. So nothing here looks at the order of the text; a loop is a set of blocks each of which can be
//        reached from every other.
#pragma once

#include <vector>

#include "simulator/ptx/ast.h"

namespace coalesce::simulator {

/// Instructions [begin, end) of a body, of which a lane executes all or none.
struct BasicBlock {
    u32 begin = 0, end = 0;
    std::vector<u32> next;  ///< blocks that a lane may go on with
    u32 loop = 0;           ///< blocks that can reach one another have the same number
};

/// Whether a lane may come from the block's end to the next one in the text.
bool falls_through(const ptx::Function& function, const BasicBlock& block);
/// Fills in BasicBlock::loop: of two loops the one that lanes come to first has the higher number.
void number_loops(std::vector<BasicBlock>& blocks);

class ControlFlow {
public:
    explicit ControlFlow(const ptx::Function& function);

    const std::vector<BasicBlock>& blocks() const { return blocks_; }
    const BasicBlock& block_at(u32 instruction) const { return blocks_[block_of_[instruction]]; }
    /// The blocks that may go on with a block: each as often as it leads there.
    const std::vector<u32>& ways_in(u32 block) const { return ways_in_[block]; }
    /// The blocks that a turn of a loop may pass which ends with the branch `from` back to `to`: those on the
    /// same loop that lead to the branch without coming by `to` again. None: they are on no common loop.
    std::vector<u32> blocks_of_turn(u32 from, u32 to) const;

private:
    std::vector<BasicBlock> blocks_;
    std::vector<std::vector<u32>> ways_in_;  ///< by block
    std::vector<u32> block_of_;              ///< by index into the body
};

/// Which blocks of a function a lane has passed when it comes to a block, whichever way it came.
class Dominators {
public:
    explicit Dominators(const ControlFlow& flow);

    /// The last one before a block; none before the first, and before blocks that are never reached.
    u32 before(u32 block) const { return before_[block]; }
    bool passed(u32 earlier, u32 block) const;

private:
    u32 common(u32 a, u32 b) const;

    std::vector<u32> before_;
};

/// Where a branch may go, as indices into the body. Names that are no label of it are left out: lowering
/// refuses them.
std::vector<u32> branch_targets(const ptx::Function& function, const ptx::Instruction& instruction);

}  // namespace coalesce::simulator
