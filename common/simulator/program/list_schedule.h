// In which order a compiler for the GPU would put the instructions of a straight piece.
//
// Idea   Of the instructions that can be issued, the one comes next from which the way to the piece's end
//        takes longest. Loads take long, so they and what their addresses are computed from go to the front,
//        and many results are on their way at once: that is what takes registers.
// Limit  Where that would take more registers than let all threads of a multiprocessor run, the instruction
//        comes next that adds least to them.
#pragma once

#include <vector>

#include "program/machine_code.h"

namespace coalesce::sim {

/// A piece whose values have numbers of its own, from 0.
struct StraightCode {
    std::vector<MachineInstruction> code;
    std::vector<u32> words;           ///< by value
    std::vector<bool> from_before;    ///< by value: it comes into the piece
    std::vector<bool> wanted_behind;  ///< by value: it is read after the piece
    u32 words_through = 0;            ///< of values that the piece does not mention
};

struct Scheduled {
    u32 instruction = 0;  ///< index into the code
    u32 cycle = 0;        ///< at which it is issued
};

std::vector<Scheduled> list_schedule(const StraightCode& straight);

}  // namespace coalesce::sim
