// An approximation of the machine code that ptxas would generate for a function's PTX, as far as it
// matters for registers: the instructions, what they read and write, and which of them form a
// straight piece.
//
// Idea   A branch around a few instructions becomes a guard on each of them, so that they are
//        scheduled together with the surrounding ones. A loop that counts by a constant to a limit
//        that is known in advance is executed four iterations at a time. A constant that is needed
//        in a register is loaded once, and not in each iteration.
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
    u32 source = 0;  ///< index into the function's body
    /// The part of its piece: instructions that lanes may skip form one part, and those between
    /// them another.
    u32 part = 0;
    u32 loop = kNone;  ///< in an iteration of an unrolled loop, the start of the loop in the body
    u32 turn = 0;      ///< the number of the iteration
    MemoryEffect memory = MemoryEffect::none;
    ptx::StateSpace space = ptx::StateSpace::generic;  ///< of the memory that it accesses
    bool is_access = false;                            ///< a load, store, atomic or copy
    bool is_copy = false;                              ///< from global to shared memory
    bool is_fixed = false;                             ///< no instruction moves past it
    bool waits_for_reads = false;  ///< after it, loads and stores have read their sources
    bool is_guarded = false;       ///< some lanes may skip it and keep the old value of its result
    bool is_conditional = false;   ///< an access that lanes may skip
    bool reads_late = false;       ///< its sources are occupied for some more cycles
    bool reads_texels = false;     ///< the texture unit reads pairs before the rest
    bool is_in_halves = false;     ///< it writes half of its result before it has read everything
    /// It reads the lower half again for the upper half: what it shifts.
    bool reads_lower_again = false;
    u32 latency = 0;                 ///< cycles until its result is available
    u32 words_inside = 0;            ///< in addition to its sources and results
    u32 odd_inside = 0;              ///< those of them that are in odd registers
    bool keeps_convention = false;   ///< a call of an unknown function
    AccessPlace place;               ///< of a load or a store
    std::optional<i64> step;         ///< the constant that it adds to the only value that it reads
    std::vector<u32> reads, writes;  ///< values
};

/// Instructions that are executed one after the other, and the pieces that may follow.
struct MachinePiece {
    std::vector<MachineInstruction> code;
    std::vector<u32> next;
    u32 dropped_branches = 0;  ///< branches around instructions that have guards instead
};

struct MachineValue {
    u32 words = 0;           ///< the 32-bit registers that it occupies
    bool is_loose = false;   ///< these need not be adjacent
    bool is_half = false;    ///< it occupies a part of a register, so either bank is suitable
    bool is_loaded = false;  ///< a pair that is loaded as a whole
    bool is_predicate = false;
};

struct MachineCode {
    std::vector<MachinePiece> pieces;
    std::vector<MachineValue> values;
    std::vector<std::vector<u32>> side_by_side;  ///< values in consecutive registers
    std::map<u32, u32> extends;  ///< for a pair: the value whose register is its lower half
};

/// Returns the code of a function in which each value has one name: see named_by_root.
MachineCode machine_code(const ptx::Function& function, const ControlFlow& flow,
                         const Registers& registers);

}  // namespace coalesce::simulator
