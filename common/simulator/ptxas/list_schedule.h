// In which order a compiler for the GPU would put the instructions of a straight piece before it assigns
// registers.
//
// Idea   Of the instructions that can be issued, the one comes next from which the way to the piece's end
//        takes longest. Loads take long, so they and what their addresses are computed from go to the front,
//        and many results are on their way at once: that is what takes registers. What a store alone needs
//        comes late, though there would be time for it while a load is waited for.
// Limit  While `words_most` words are alive, instructions keep the order in which they were written. But one that
//        makes more words alive waits for those that lead to fewer: for a store, say, whose data is there and
//        whose address is still to be computed. And loads that lead to fewer come before all: those whose address
//        takes more words than what is loaded.
// Parts  ptxas does this while branches around a few instructions are still there. So what is written behind such a
//        branch does not come before it to let go of words: where lanes may skip each of many loads, and all are
//        added up behind the last, all that they load is alive at once. (Sums of 8 to 32 such loads of 64 bits take
//        30 to 72 registers in ptxas; without the branches 28 to 32.)
#pragma once

#include <vector>

#include "simulator/ptxas/machine_code.h"

namespace coalesce::simulator {

/// A piece whose values have numbers of its own, from 0.
struct StraightCode {
    std::vector<MachineInstruction> code;
    std::vector<u32> words;           ///< by value
    std::vector<bool> is_predicate;   ///< by value
    std::vector<bool> from_before;    ///< by value: it comes into the piece
    std::vector<bool> wanted_behind;  ///< by value: it is read after the piece
    u32 words_through = 0;            ///< of values that the piece does not mention
};

/// Indices into the code.
std::vector<u32> list_schedule(const StraightCode& straight, u32 words_most);

}  // namespace coalesce::simulator
