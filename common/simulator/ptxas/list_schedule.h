// Finds the order in which ptxas arranges the instructions of a straight-line piece of code before
// it assigns registers.
//
// Idea   Of the instructions that can be issued, ptxas chooses the one with the longest path to the
//        end of the piece. Paths with loads are long, because loads take a long time. Therefore,
//        the loads and the computations of their addresses move to the front. Many results are then
//        in flight at the same time, and each needs a register. Values that only a store needs are
//        computed late, even if they could be computed during the wait for a load.
// Limit  Once `max_live_words` words are live, instructions keep the order in which they were
//        written. However, an instruction that increases the number of live words is delayed until
//        other instructions have reduced that number. (An example is the computation of the address
//        of a store whose data is already available.) Loads that reduce the number of live words
//        come first. In such a load, the address takes more words than the loaded value.
// Parts  ptxas schedules instructions before it replaces branches around a few instructions with
//        guards. Therefore, instructions after such a branch do not move in front of it, even if
//        that would free words. If lanes may skip each of many loads, and the loaded values are
//        added up after the last load, all of these values are live at the same time. (Sums of 8 to
//        32 such 64-bit loads take 30 to 72 registers in ptxas, and 28 to 32 without the branches.)
#pragma once

#include <vector>

#include "simulator/ptxas/machine_code.h"

namespace coalesce::simulator {

/// A straight-line piece of code whose values are numbered separately, starting at 0.
struct StraightCode {
    std::vector<MachineInstruction> code;
    std::vector<u32> words;                ///< for each value, its number of 32-bit words
    std::vector<bool> is_predicate;        ///< for each value, whether it is a predicate
    std::vector<bool> is_written_earlier;  ///< for each value, whether an earlier piece writes it
    std::vector<bool> is_read_later;       ///< for each value, whether a later piece reads it
    /// The number of words that are occupied during the whole piece by live values which the piece
    /// does not use.
    u32 live_through_words = 0;
};

/// Returns the scheduled order of the instructions, as indices into `straight_code.code`.
std::vector<u32> list_schedule(const StraightCode& straight_code, u32 max_live_words);

}  // namespace coalesce::simulator
