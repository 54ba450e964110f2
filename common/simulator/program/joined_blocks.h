// Which blocks of a function become one straight piece of machine code: those that follow each other, and those that
// lanes may skip, where they are so short that ptxas guards their instructions in place of a branch, and where there is
// something to do while what they load is on its way.
#pragma once

#include <vector>

#include "analysis/control_flow.h"
#include "program/machine_values.h"

namespace coalesce::sim {

class JoinedBlocks {
public:
    /// All three have to outlive it.
    JoinedBlocks(const ptx::Function& function, const ControlFlow& flow,
                 const MachineValues& values);

    /// The block up to which a piece that has come to block `b` goes on: `b` itself, where it ends.
    u32 goes_on_to(u32 b) const;

private:
    using Instruction = ptx::Instruction;

    bool is_end(const BasicBlock& block) const;
    bool is_short(const BasicBlock& block) const;
    u32 may_go_on_to(u32 b) const;
    bool has_work_meanwhile(u32 b) const;

    const ptx::Function& function_;
    const ControlFlow& flow_;
    const std::vector<BasicBlock>& blocks_;
    const MachineValues& values_;
    /// By block: the next of its piece, and the one before, where lanes may skip what lies between if it is short enough.
    std::vector<u32> may_go_on_to_, may_come_from_;
};

}  // namespace coalesce::sim
