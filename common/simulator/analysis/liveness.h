// Which values may still be wanted, at every place of a function.
//
// Idea   A register is alive behind an instruction when some way from there leads to a use of it without
//        meeting a write first. That is found by going backwards over the graph of blocks until nothing
//        changes any more, so the order of the text plays no part.
// Lanes  The lanes of a warp go different ways, and each has a column of its own in every register. What
//        holds for every way through the graph therefore holds for every lane, whatever the others do: lanes
//        that have left a loop while others turn in it keep their values, because those others write their
//        own columns only. A write under a guard leaves lanes out, so the value before it stays alive.
#pragma once

#include <vector>

#include "simulator/analysis/alive_values.h"
#include "simulator/analysis/control_flow.h"

namespace coalesce::simulator {

class Liveness {
public:
    Liveness(const ptx::Function& function, const ControlFlow& flow);

    /// From the first to the last index of the body at which the register is read, written or alive. Two
    /// registers whose ranges do not overlap can share a slot: neither is written where the other is alive.
    struct Range {
        u32 begin = ~0u, end = 0;
        bool is_empty() const { return begin > end; }
        void add(u32 at);
        void add(const Range& other);
    };
    const Range& range(u32 reg) const { return ranges_[reg]; }

    /// Of `candidates`, those that are alive behind the instruction.
    std::vector<u32> alive_behind(u32 instruction, const std::vector<u32>& candidates) const;

private:
    const ptx::Function& function_;
    const ControlFlow& flow_;
    const AliveValues alive_;    ///< registers, at flow_.blocks()
    std::vector<Range> ranges_;  ///< by register
};

}  // namespace coalesce::simulator
