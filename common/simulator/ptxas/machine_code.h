// Approximates those parts of ptxas's machine code that determine register usage: the instructions,
// the values that they read and write, and the straight-line pieces of code.
//
// Idea   A branch around a few instructions becomes a guard on each of them, so that these
//        instructions are scheduled together with the surrounding code. A loop that counts in
//        constant steps to a limit that is known in advance is unrolled four times. A constant that
//        must be in a register is loaded once instead of in each iteration.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "simulator/analysis/control_flow.h"
#include "simulator/ptxas/machine_instruction.h"
#include "simulator/ptxas/machine_values.h"
#include "simulator/ptxas/value_classes.h"

namespace coalesce::simulator {

struct MachineInstruction {
    u32 source = 0;  ///< the index of the PTX instruction in the function's body
    /// The number of the part of the piece that contains the instruction. A part is either a
    /// sequence of instructions that lanes may skip together, or the sequence of instructions
    /// between two such parts.
    u32 part_index = 0;
    /// If the instruction is in an unrolled loop, the index of the first instruction of this loop.
    /// Otherwise kNone.
    u32 loop = kNone;
    u32 iteration = 0;  ///< the index of the iteration in the unrolled loop
    MemoryEffect memory = MemoryEffect::none;
    ptx::StateSpace space = ptx::StateSpace::generic;  ///< the state space of a memory access
    bool is_access = false;
    bool is_copy = false;   ///< true for a copy from global to shared memory
    bool is_fixed = false;  ///< true if no instruction may move past this instruction
    /// True if the instruction waits until all earlier accesses have read their source registers.
    bool waits_for_reads = false;
    bool is_guarded = false;  ///< true if lanes may skip the instruction and keep the old result
    bool is_conditional = false;  ///< true for an access that lanes may skip
    bool reads_late = false;      ///< true if the source registers cannot be reused for some cycles
    /// True if the texture unit reads the instruction's paired sources before its other sources.
    bool reads_texels = false;
    /// True if one half of the result is written before the sources of the other half are read.
    bool is_in_halves = false;
    /// True for a shift that reads the lower half of its source twice, because the upper half of
    /// the result depends on it too.
    bool rereads_lower_half = false;
    u32 latency = 0;             ///< the number of cycles until the result is available
    u32 internal_words = 0;      ///< the number of registers for intermediate results
    u32 odd_internal_words = 0;  ///< the number of internal words that need odd registers
    bool follows_calling_convention = false;  ///< true for a call of an unknown function
    AccessAddress address;                    ///< the address of a load or store
    /// The constant that the instruction adds to its only source value. Empty if the instruction
    /// does something else.
    std::optional<i64> added_constant;
    /// The indices of the values that the instruction reads and writes.
    std::vector<u32> reads, writes;
};

/// A sequence of instructions without branches, and the indices of the pieces that may follow it.
struct MachinePiece {
    std::vector<MachineInstruction> code;
    std::vector<u32> successors;
    u32 dropped_branches = 0;  ///< the number of branches replaced with guards
};

struct MachineValue {
    u32 words = 0;          ///< the number of 32-bit registers that the value occupies
    bool is_loose = false;  ///< true if the value's registers need not be adjacent
    /// True if the value occupies only half of a register, which may be in either bank.
    bool is_half_register = false;
    bool is_loaded = false;  ///< true for a 64-bit value that a single instruction loads
    bool is_predicate = false;
};

struct MachineCode {
    std::vector<MachinePiece> pieces;
    std::vector<MachineValue> values;
    /// Groups of values that need consecutive registers.
    std::vector<std::vector<u32>> consecutive_values;
    /// Maps a 64-bit value to the 32-bit value that is its lower half.
    std::map<u32, u32> extended_values;
};

/// Returns the machine code of `function`, which must be a result of replace_registers_by_roots(),
/// so that each value has only one name.
MachineCode machine_code(const ptx::Function& function, const ControlFlow& flow,
                         const Registers& registers);

}  // namespace coalesce::simulator
