// Finds the order in which ptxas would arrange the instructions of a straight-line piece before it
// assigns registers.
//
// Idea   Among the instructions that can be issued, the next is the one with the longest path to
//        the end of the piece. Loads take a long time, so they and the computation of their
//        addresses move to the front, and many results are in flight at the same time, which takes
//        registers. Values that only a store needs are computed late, even if there would be time
//        for them during the wait for a load.
// Limit  While `max_live_words` words are live, instructions keep the order in which they were written.
//        But an instruction that increases the number of live words is delayed until others have
//        reduced that number. (An example is a store whose data is available and whose address must
//        still be computed.) Loads that reduce the number of live words come first: those whose
//        address takes more words than the loaded value.
// Parts  ptxas schedules while branches around a few instructions still exist. So instructions
//        after such a branch do not move in front of it to free words. If lanes may skip each of
//        many loads, and all are added up after the last one, all loaded values are live at the
//        same time. (Sums of 8 to 32 such 64-bit loads take 30 to 72 registers in ptxas, and 28 to
//        32 without the branches.)
#pragma once

#include <vector>

#include "simulator/ptxas/machine_code.h"

namespace coalesce::simulator {

/// A piece of straight code whose values are numbered separately, starting at 0.
struct StraightCode {
    std::vector<MachineInstruction> code;
    std::vector<u32> words;                ///< by value
    std::vector<bool> is_predicate;        ///< by value
    std::vector<bool> is_written_earlier;  ///< for each value, whether an earlier piece writes it
    std::vector<bool> is_read_later;       ///< for each value, whether a later piece reads it
    /// The words of values that are live but not used in the piece.
    u32 live_through_words = 0;
};

/// Returns the order as indices into the code.
std::vector<u32> list_schedule(const StraightCode& straight, u32 max_live_words);

}  // namespace coalesce::simulator
