// Packs the registers that are not uniform into as few slots as possible.
//
// Idea   PTX has a new virtual register for almost every result, but only a few registers are live
//        at the same time (liveness.h). Registers share a slot if their ranges in the function's
//        text do not overlap. A range extends from the first to the last instruction at which the
//        register is live.
// Plain  In plain mode, each register has its own slot.
#pragma once

#include <array>
#include <vector>

#include "simulator/code/function_code.h"
#include "simulator/code/width.h"
#include "simulator/ptxas/value_classes.h"

namespace coalesce::simulator {

/// Returns the live range of each root register. The range covers the live ranges of all registers
/// with that root.
std::vector<Liveness::Range> find_lifetimes(const Registers& registers, const Liveness& liveness);

/// The slots of a register file, which can be allocated and freed.
class SlotPool {
public:
    explicit SlotPool(bool reuses_slots) : reuses_slots_(reuses_slots) {}
    Slot allocate(Width width);
    /// Allocates a slot that no other value ever uses, for a value that is needed outside the
    /// function's body.
    Slot allocate_permanently(Width width);
    void release(Slot slot, Width width);
    u32 bytes() const { return end_offset_; }
    /// Returns all slots ever allocated.
    const std::vector<SlotPosition>& all_slots() const { return all_slots_; }

private:
    const bool reuses_slots_;
    std::array<std::vector<Slot>, 5> free_slots_;  ///< the free slots of each Width
    std::vector<SlotPosition> all_slots_;
    u32 end_offset_ = 0;
};

}  // namespace coalesce::simulator
