// Where a warp waits for what it loads from global memory: the counter load_waits.
//
// Idea     A load takes about 600 cycles, and its warp goes on until something needs the value. The loads
//          that it has issued by then are in flight together; a wait is for all of them. So requests
//          divided by waits are the loads in flight. Bytes that are under way make bandwidth.
// Rule     ours; hardware has no such counter. ptxas moves loads up as far as it is allowed to, so that
//          what counts is not where PTX uses a value, but what the next load cannot be moved above:
//          - an instruction that computes with a value that is pending, or takes it for an address. Moves
//            and what only packs registers or takes them apart are free;
//          - a barrier of a block or warp, a fence, an atomic, a call of a function;
//          - a branch back, when a pending value has been stored: a loop that is left as a loop waits in
//            each of its turns. (One that only hands the value to its next turn does not wait.)
//          - a load, when a pending value was stored to global memory before it: it may read just that,
//            unless `.nc` says that nobody writes there;
//          - the end of the warp.
//          A store alone is no wait: of an unrolled loop of "load, store to shared memory" all loads are
//          in flight together. Neither is a branch ahead, nor a predicate: ptxas makes of both the same.
//          A vector is one load. cp.async is none: see execute/async_copy.h for what is counted there.
// Compared with machine code (ptxas 13.0 for sm_90, the course's kernels): the same where a thread loads up
//          to four times, or each turn waits. Of eight loads, 3 to 5 are issued before the first is used,
//          and the others while those arrive. Loads that branches with several conditions part
//          (14_in_place: 8 by this rule) it may leave apart, 2 and 2.
// Lines    A wait counts at the first of the loads that it is for, so that a line's requests and waits
//          belong together.
//
// Theory of operation
//          Most is known before a kernel runs: which loads a register's value may come from (copies are
//          followed), and which loads may be pending where. What is not known is which way a warp comes.
//          So a warp has a set of pending loads, one bit each. A load sets its bit; an Op in front of each
//          instruction that may have to wait asks for the bits that it would wait for. After a load that
//          every way passes, the first such Op ends all waiting, and those behind it are left out: a
//          kernel gets one or two, and straight arithmetic runs as before.
// Watch    Loads beyond the 64th of a function share bits with others, and a register that is written in
//          several places may hold what any of them writes, as where each turn of a loop stores what the
//          turn before it loaded: both can make a wait come early, never late. So can a barrier: hardware
//          lets loads pass it that nobody has used yet.
#pragma once

#include <vector>

#include "simulator/analysis/control_flow.h"
#include "simulator/ptx/ast.h"

namespace coalesce::simulator {

struct LoadWaits {
    /// By index into the body: of a load from global memory, the number of its bit.
    std::vector<u8> bit;
    /// Likewise: the pending loads that have to arrive before it (of a branch: if it is taken).
    std::vector<u64> waited_for;
};

LoadWaits load_waits(const ptx::Function& function, const ControlFlow& flow);

}  // namespace coalesce::simulator
