// Determines where a warp waits for loads from global memory, for the counter load_waits.
//
// Idea     A load takes about 600 cycles. Its warp continues until an instruction needs the value.
//          All loads issued before that instruction are in flight together, and the warp waits once
//          for all of them. So the average number of loads in flight is the number of requests
//          divided by the number of waits. The bytes in flight determine the bandwidth.
// Rule     This rule is our own, because hardware has no such counter. ptxas moves loads as early
//          as possible, so the position at which the PTX uses a value does not matter. A wait is
//          counted at an instruction above which the next load cannot move:
//          - an instruction that computes with a pending value, or uses it as an address. Moves and
//            instructions that only pack or unpack registers do not count;
//          - a barrier of a block or warp, a fence, an atomic, or a function call;
//          - a backward branch, if a pending value has been stored: a loop that is not unrolled
//            waits in each iteration. (A loop that only passes the value to its next iteration does
//            not wait.)
//          - a load, if a pending value was stored to global memory before it, because the load may
//            read the stored value, unless `.nc` says that no thread writes to this memory;
//          - the end of the warp.
//          A store alone is not a wait: in an unrolled loop of "load, store to shared memory", all
//          loads are in flight together. A forward branch is not a wait either, because ptxas may
//          replace it with a predicate, and a predicate is not a wait. A vector is one load.
//          cp.async is not a load: execute/async_copy.h explains how its waits are counted.
// Compared with machine code (ptxas 13.0 for sm_90, the course's kernels):
//          The waits are the same if a thread loads up to four times, or if each iteration waits.
//          If a thread loads eight times, ptxas issues 3 to 5 loads before the first value is used,
//          and the other loads while the first ones arrive. Loads that are separated by branches
//          with several conditions (14_in_place: 8 by this rule) may stay separate, in two groups
//          of 2.
// Lines    A wait is counted for the source line of the first load that it waits for. The requests
//          and waits of a line then refer to the same loads.
//
// Theory of operation
//          Most of the information is known before a kernel runs: the loads from which a register's
//          value may come (copies are followed), and the loads that may be pending at each point.
//          Only the path of a warp is unknown. Therefore, each warp has a set of pending loads,
//          with one bit for each load. A load sets its bit. Before each instruction that may have
//          to wait, an Op checks the bits of the loads for which the instruction would wait. After
//          a load that every path executes, the first such Op ends all waits, so later Ops are
//          omitted. A kernel gets one or two of these Ops, and straight-line arithmetic is not
//          slowed down.
// Watch    Loads after the 64th of a function share bits with others. A register that is written in
//          several places may contain the value of any of these writes, for example if each
//          iteration of a loop stores what the previous one loaded. In both cases, a wait may be
//          counted too early, but never too late. A wait at a barrier may also be counted too
//          early, because on hardware a load may remain in flight across a barrier if its value is
//          not used before.
#pragma once

#include <vector>

#include "simulator/analysis/control_flow.h"
#include "simulator/ptx/ast.h"

namespace coalesce::simulator {

struct LoadWaits {
    /// For each instruction of the body that loads from global memory, the index of the load's bit
    /// in masks of pending loads.
    std::vector<u8> load_bit;
    /// For each instruction of the body, a mask of the pending loads that the instruction must wait
    /// for. For a branch, the wait applies only if the branch is taken.
    std::vector<u64> loads_to_wait_for;
};

LoadWaits load_waits(const ptx::Function& function, const ControlFlow& flow);

}  // namespace coalesce::simulator
