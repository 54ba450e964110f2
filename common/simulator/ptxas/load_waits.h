// Determines where a warp waits for loads from global memory, for the counter load_waits.
//
// Idea     A load takes about 600 cycles, and its warp continues until an instruction needs the
//          value. All loads issued before that instruction are in flight together, and the warp
//          waits once for all of them. So requests divided by waits is the number of loads in
//          flight, and the bytes in flight determine the bandwidth.
// Rule     This rule is ours; hardware has no such counter. ptxas moves loads up as far as it may.
//          Therefore the position at which PTX uses a value does not matter. A wait is counted at
//          an instruction that the next load cannot move above:
//          - an instruction that computes with a pending value, or uses it as an address. Moves and
//            instructions that only pack or unpack registers do not count;
//          - a barrier of a block or warp, a fence, an atomic, or a function call;
//          - a backward branch, if a pending value has been stored: a loop that is not unrolled
//            waits in each iteration. (A loop that only passes the value to its next iteration does
//            not wait.)
//          - a load, if a pending value was stored to global memory before it, because the load may
//            read that same value, unless `.nc` says that no thread writes there;
//          - the end of the warp.
//          A store alone is not a wait: in an unrolled loop of "load, store to shared memory", all
//          loads are in flight together. Neither is a forward branch or a predicate, because ptxas
//          treats both the same. A vector is one load. cp.async is not a load: execute/async_copy.h
//          explains how its waits are counted.
// Compared with machine code (ptxas 13.0 for sm_90, the course's kernels):
//          The waits are the same if a thread loads up to four times, or if each iteration waits.
//          Of eight loads, 3 to 5 are issued before the first value is used, and the others while
//          those arrive. Loads that are separated by branches with several conditions (14_in_place:
//          8 by this rule) may stay separate, in two groups of 2.
// Lines    A wait is counted at the first of its loads, so that the requests and waits of a source
//          line belong together.
//
// Theory of operation
//          Most of this is known before a kernel runs: the loads from which a register's value may
//          come (copies are followed), and the loads that may be pending at each point. Only the
//          path of a warp is unknown. So each warp has a set of pending loads with one bit each. A
//          load sets its bit, and an Op before each instruction that may have to wait checks the
//          bits of the loads it would wait for. After a load that every path executes, the first
//          such Op ends all waiting, and later ones are omitted. A kernel gets one or two of these
//          Ops, and straight arithmetic runs as before.
// Watch    Loads after the 64th of a function share bits with others, and a register that is
//          written in several places may contain the value of any of these writes, for example if
//          each iteration of a loop stores what the previous one loaded. Either can cause a wait to
//          be counted too early, but never too late. The same holds for a barrier, because hardware
//          lets loads whose values are not used yet pass it.
#pragma once

#include <vector>

#include "simulator/analysis/control_flow.h"
#include "simulator/ptx/ast.h"

namespace coalesce::simulator {

struct LoadWaits {
    /// For each load from global memory, the index of its bit. Indexed by position in the body.
    std::vector<u8> bit;
    /// For each instruction, the pending loads that must arrive before it (before a branch, if the
    /// branch is taken). Indexed by position in the body.
    std::vector<u64> loads_to_wait_for;
};

LoadWaits load_waits(const ptx::Function& function, const ControlFlow& flow);

}  // namespace coalesce::simulator
