// Determines where a warp waits for loads from global memory: the counter load_waits.
//
// Idea     A load takes about 600 cycles, and its warp continues until an instruction needs the
//          value. The loads issued by then are in flight together, and one wait is for all of them.
//          So requests divided by waits is the number of loads in flight. Bytes in flight determine
//          the bandwidth.
// Rule     This rule is ours; hardware has no such counter. ptxas moves loads up as far as it may.
//          What counts is therefore not where PTX uses a value, but what the next load cannot be
//          moved above:
//          - an instruction that computes with a pending value, or uses it as an address. Moves and instructions that
//            only pack or unpack registers do not count;
//          - a barrier of a block or warp, a fence, an atomic, a call of a function;
//          - a backward branch, if a pending value has been stored: a loop that is not unrolled waits in each
//            iteration. (A loop that only passes the value to its next iteration does not wait.)
//          - a load, if a pending value was stored to global memory before it, because it may read just that value,
//            unless `.nc` says that nobody writes there;
//          - the end of the warp.
//          A store alone is not a wait: in an unrolled loop of "load, store to shared memory", all loads are in flight
//          together. Neither is a forward branch, nor a predicate, because ptxas treats both the same.
//          A vector is one load. cp.async is not a load: execute/async_copy.h explains what is counted for it.
// Compared with machine code (ptxas 13.0 for sm_90, the course's kernels):
//          The waits are the same if a thread loads up to four times, or if each iteration waits.
//          Of eight loads, 3 to 5 are issued before the first value is used, and the others while
//          those arrive. Loads that are separated by branches with several conditions (14_in_place:
//          8 by this rule) may stay separate, 2 and 2.
// Lines    A wait is counted at the first of its loads, so that a line's requests and waits belong
//          together.
//
// Theory of operation
//          Most of this is known before a kernel runs: which loads a register's value may come from (copies are
//          followed), and which loads may be pending at each place. What is not known is which path a warp takes. So a
//          warp has a set of pending loads with one bit each. A load sets its bit, and an Op before each instruction
//          that may have to wait checks the bits for which it would wait. After a load that every path executes, the
//          first such Op ends all waiting, and later ones are left out. A kernel gets one or two of them, and straight
//          arithmetic runs as before.
// Watch    Loads after the 64th of a function share bits with others, and a register that is
//          written in several places may hold the value of any of them, for example if each
//          iteration of a loop stores what the previous one loaded. Both can make a wait happen too
//          early, but never too late. So can a barrier, because hardware lets loads pass it that
//          have not been used yet.
#pragma once

#include <vector>

#include "simulator/analysis/control_flow.h"
#include "simulator/ptx/ast.h"

namespace coalesce::simulator {

struct LoadWaits {
    /// By index into the body: for a load from global memory, the number of its bit.
    std::vector<u8> bit;
    /// By index into the body: the pending loads that must arrive before the instruction (for a
    /// branch: if it is taken).
    std::vector<u64> waited_for;
};

LoadWaits load_waits(const ptx::Function& function, const ControlFlow& flow);

}  // namespace coalesce::simulator
