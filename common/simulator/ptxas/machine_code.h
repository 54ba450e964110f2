// What a compiler for the GPU would make of a function's PTX, as far as its need for registers goes: which
// instructions there are, what they read and write, and which of them stand in one straight piece.
//
// Idea   A branch around a few instructions becomes a guard on each of them, so that they are put in order
//        with what surrounds them. A loop that counts by a constant to an end that is known before is carried
//        out four turns at a time. A constant that is wanted in a register is brought there once, and not in
//        each turn of a loop.
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
    u32 source = 0;    ///< index into the function's body
    u32 part = 0;      ///< of its piece: what lanes may skip is one, and what lies between
    u32 loop = kNone;  ///< of a turn of an unrolled loop: where that begins in the body
    u32 turn = 0;      ///< which of its turns
    MemoryEffect memory = MemoryEffect::none;
    ptx::StateSpace space = ptx::StateSpace::generic;  ///< of that memory
    bool is_access = false;                            ///< a load, a store, an atomic or a copy
    bool is_copy = false;                              ///< from global to shared memory
    bool is_fixed = false;                             ///< nothing moves past it
    bool waits_for_reads = false;    ///< behind it, loads and stores have read their sources
    bool is_guarded = false;         ///< lanes may keep what they had in what it writes
    bool is_conditional = false;     ///< an access that lanes may skip
    bool reads_late = false;         ///< its sources are taken for some cycles more
    bool reads_texels = false;       ///< the texture unit reads pairs before the rest
    bool is_in_halves = false;       ///< writes half of its result before it has read all
    bool reads_lower_again = false;  ///< for the upper half as well: what it shifts
    u32 latency = 0;                 ///< cycles until its result is there
    u32 words_inside = 0;            ///< beside its sources and results
    u32 odd_inside = 0;              ///< of those: in odd registers
    bool keeps_convention = false;   ///< a call of what is not known
    AccessPlace place;               ///< of a load or a store
    std::optional<i64> step;         ///< a number that it adds to the only value that it reads
    std::vector<u32> reads, writes;  ///< values
};

/// Instructions that are carried out one after the other, and the pieces that may follow.
struct MachinePiece {
    std::vector<MachineInstruction> code;
    std::vector<u32> next;
    u32 dropped_branches = 0;  ///< around instructions that have guards instead
};

struct MachineValue {
    u32 words = 0;           ///< 32-bit registers that it takes
    bool is_loose = false;   ///< which need not lie side by side
    bool is_half = false;    ///< takes a part of one, and so either bank does
    bool is_loaded = false;  ///< a pair, as a whole
    bool is_predicate = false;
};

struct MachineCode {
    std::vector<MachinePiece> pieces;
    std::vector<MachineValue> values;
    std::vector<std::vector<u32>> side_by_side;  ///< values in registers one after the other
    std::map<u32, u32> extends;  ///< by pair: the value whose register is its lower half
};

/// Of a function in which each value has one name: see named_by_root.
MachineCode machine_code(const ptx::Function& function, const ControlFlow& flow,
                         const Registers& registers);

}  // namespace coalesce::simulator
