// Loops that ptxas carries out several turns at a time.
//
// Idea   Those that count by a constant to an end that is known before, and are one straight piece. In the copies of a
//        turn a value has a name of its own, and how many turns are left is asked once for all of them.
// Seen   By putting instructions into a loop and comparing the length of the machine code with what `.pragma "nounroll"`
//        gives; and for all loops of the course's programs in the same way.
#pragma once

#include "program/alike_in_block.h"
#include "program/machine_code.h"

namespace coalesce::sim {

class LoopUnroller {
public:
    LoopUnroller(const ptx::Function& function, const Registers& registers)
        : function_(function), registers_(registers), alike_(function, registers) {}

    /// A piece that goes back to its own beginning, if ptxas unrolls it.
    void unroll(MachinePiece& piece, MachineCode& code) const;

private:
    using Instruction = ptx::Instruction;

    bool is_same_in_turns(const std::vector<MachineInstruction>& turn,
                          const MachineInstruction& compares) const;
    bool may_be_unrolled(const MachinePiece& piece) const;
    bool is_short(const MachinePiece& piece) const;
    bool needs_threads_together(const MachinePiece& piece) const;
    const Instruction* writer(const MachinePiece& piece, u32 value) const;
    bool steps_by_constant(const MachinePiece& piece, u32 value) const;
    bool is_offset_of_turn(const std::vector<MachineInstruction>& turn,
                           const MachineInstruction& add) const;
    bool is_address_alone(const MachineInstruction& access, u32 value) const;

    const ptx::Function& function_;
    const Registers& registers_;
    const AlikeInBlock alike_;
};

}  // namespace coalesce::sim
