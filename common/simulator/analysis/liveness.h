// Computes the live registers at every point of a function.
//
// Idea   A register is live after an instruction if some path from there reaches a use of the
//        register before it is overwritten. The analysis iterates backwards over the control-flow
//        graph to a fixed point, so the order of the text does not matter.
// Lanes  The lanes of a warp may take different paths, and each lane has its own element in every
//        register. Results that hold for every path therefore hold for every lane, whatever the
//        other lanes do. Lanes that have left a loop keep their values while other lanes are still
//        in the loop, because each lane writes only its own elements. A guarded write does not
//        affect all lanes, so the value before it stays live.
#pragma once

#include <vector>

#include "simulator/analysis/alive_values.h"
#include "simulator/analysis/control_flow.h"

namespace coalesce::simulator {

class Liveness {
public:
    Liveness(const ptx::Function& function, const ControlFlow& flow);

    /// The range of instructions in which the register is read, written or live. Two registers
    /// whose ranges do not overlap can share a slot, because neither is written while the other is
    /// live.
    struct Range {
        u32 begin = ~0u, end = 0;
        bool is_empty() const { return begin > end; }
        void add(u32 at);
        void add(const Range& other);
    };
    const Range& range(u32 reg) const { return ranges_[reg]; }

    /// Returns the registers in `candidates` that are live after the instruction.
    std::vector<u32> live_after(u32 instruction, const std::vector<u32>& candidates) const;

private:
    const ptx::Function& function_;
    const ControlFlow& flow_;
    const LiveValues live_;      ///< the live registers at the start and end of each block
    std::vector<Range> ranges_;  ///< for each register, the range in which it is used or live
};

}  // namespace coalesce::simulator
