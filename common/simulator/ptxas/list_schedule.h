// The order in which ptxas would arrange the instructions of a straight piece before it assigns
// registers.
//
// Idea   Among the instructions that can be issued, the next is the one with the longest path to
//        the end of the piece. Loads take long, so they and the computation of their addresses move
//        to the front, and many results are in flight at once. This is what needs registers. Values
//        that only a store needs are computed late, even if there would be time for them while a
//        load is waited for.
// Limit  While `words_most` words are live, instructions keep the order in which they were written.
//        But an instruction that increases the number of live words waits for those that lead to
//        fewer, such as a store whose data is available and whose address must still be computed.
//        Loads that lead to fewer words come first: those whose address takes more words than the
//        loaded value.
// Parts  ptxas does this while branches around a few instructions still exist. So instructions
//        after such a branch do not move before it to free words. If lanes may skip each of many
//        loads, and all are added up after the last one, all loaded values are live at once. (Sums
//        of 8 to 32 such 64-bit loads take 30 to 72 registers in ptxas, and 28 to 32 without the
//        branches.)
#pragma once

#include <vector>

#include "simulator/ptxas/machine_code.h"

namespace coalesce::simulator {

/// A piece whose values are numbered separately, starting at 0.
struct StraightCode {
    std::vector<MachineInstruction> code;
    std::vector<u32> words;           ///< by value
    std::vector<bool> is_predicate;   ///< by value
    std::vector<bool> from_before;    ///< by value: whether it comes from before the piece
    std::vector<bool> wanted_behind;  ///< by value: whether it is read after the piece
    /// The words of values that are live but not used in the piece.
    u32 words_through = 0;
};

/// Returns indices into the code.
std::vector<u32> list_schedule(const StraightCode& straight, u32 words_most);

}  // namespace coalesce::simulator
