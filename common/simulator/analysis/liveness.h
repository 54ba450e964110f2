// Computes the live registers at every point of a function.
//
// Idea   A register is live after an instruction if its value may still be read before it is
//        overwritten. The analysis iterates backwards over the control-flow graph to a fixed point,
//        so the order of the text does not matter.
// Lanes  Each lane of a warp has its own element of every register, and may take its own path. The
//        analysis considers every path, so its results are valid for every lane. A guarded write
//        leaves some lanes unchanged, so the earlier value of the register stays live.
#pragma once

#include <vector>

#include "simulator/analysis/alive_values.h"
#include "simulator/analysis/control_flow.h"

namespace coalesce::simulator {

class Liveness {
public:
    Liveness(const ptx::Function& function, const ControlFlow& flow);

    /// The range of instructions in which a register is read, written or live. Two registers can
    /// share a slot if their ranges do not overlap.
    struct Range {
        u32 begin = ~0u, end = 0;
        bool is_empty() const { return begin > end; }
        void add(u32 instruction);
        void add(const Range& other);
    };
    const Range& range(u32 reg) const { return live_ranges_[reg]; }

    /// Returns the registers in `candidates` that are live after the instruction.
    std::vector<u32> live_after(u32 instruction, const std::vector<u32>& candidates) const;

private:
    const ptx::Function& function_;
    const ControlFlow& flow_;
    const LiveValues live_values_;    ///< the live registers at the start and end of each block
    std::vector<Range> live_ranges_;  ///< for each register, the range in which it is used or live
};

}  // namespace coalesce::simulator
