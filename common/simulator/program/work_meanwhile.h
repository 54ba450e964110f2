// Whether there is something to do while what a few guarded instructions load is on its way.
//
// Idea   A load from global memory takes long. A branch around it spares that where all lanes skip it; guards in its place let
//        what lies around it be done meanwhile. ptxas takes guards if that is three instructions of the machine or more, or
//        another such load. (Seen with one to five instructions in front of the branch, behind it and after a barrier.)
// Around What the loads or their guard come of is done before; what waits for them, and accesses to memory that have to
//        follow those, come too late. Nor do accesses count that a barrier parts from the loads, nor stores in front of them.
#pragma once

#include <set>
#include <vector>

#include "analysis/control_flow.h"
#include "program/machine_values.h"

namespace coalesce::sim {

/// How many instructions of the machine one is: it adds 64 bits in halves, and multiplies them in parts.
u32 steps_of(const ptx::Instruction& instruction, const MachineValues& values);

class WorkMeanwhile {
public:
    /// Both have to outlive it.
    WorkMeanwhile(const ptx::Function& function, const MachineValues& values)
        : function_(function), values_(values) {}

    /// For the loads of a block, among what the body has from `first` to `end`.
    bool is_enough(const BasicBlock& block, u32 first, u32 end);

private:
    using Instruction = ptx::Instruction;

    void look_at(const BasicBlock& block);
    void count_before(u32 first, const BasicBlock& block);
    void count_behind(const BasicBlock& block, u32 end);
    void count(const Instruction& instruction);
    bool waits(const Instruction& instruction) const;
    bool is_found() const;

    const ptx::Function& function_;
    const MachineValues& values_;
    std::set<u32> needed_;                      ///< values that the block is computed from
    std::set<u32> late_;                        ///< values that wait for the loads
    std::vector<const Instruction*> accesses_;  ///< that do
    u32 steps_ = 0;
    bool loads_ = false;  ///< there is another load
};

}  // namespace coalesce::sim
