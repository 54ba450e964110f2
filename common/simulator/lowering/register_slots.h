// Packs the registers that every warp computes separately into as few slots as are needed at once.
//
// Idea   PTX has a new virtual register for almost every result. What matters is how many are live
//        at the same time (liveness.h): registers whose ranges in the text do not overlap share a
//        slot. A range includes everything between its ends. So the order of the text determines
//        how well this packs, but not whether it is correct.
// Plain  In plain mode, each register has its own slot.
#pragma once

#include <array>
#include <vector>

#include "simulator/code/function_code.h"
#include "simulator/code/width.h"
#include "simulator/ptxas/value_classes.h"

namespace coalesce::simulator {

/// Returns for each root register the range in which one of its names is live.
std::vector<Liveness::Range> lifetimes(const Registers& registers, const Liveness& liveness);

/// Allocates slots of a file by width, and takes them back.
class SlotPool {
public:
    explicit SlotPool(bool reuses) : reuses_(reuses) {}
    Slot take(Width width);
    /// Allocates a slot that nothing else ever uses, for values that are needed beyond the body.
    Slot take_for_good(Width width);
    void give_back(Slot slot, Width width);
    u32 bytes() const { return top_; }
    /// Returns all slots that were ever allocated.
    const std::vector<SlotPlace>& places() const { return places_; }

private:
    const bool reuses_;
    std::array<std::vector<Slot>, 5> free_;  ///< by Width
    std::vector<SlotPlace> places_;
    u32 top_ = 0;
};

}  // namespace coalesce::simulator
