// Packs the registers that every warp computes again into as few slots as are needed at once.
//
// Idea   PTX has a new virtual register for almost every result. What matters is how many are alive
//        at the same time (liveness.h): registers whose ranges of the text do not overlap take turns in
//        one slot. A range reaches over everything between its ends, so the order of the text decides
//        how well this packs, and never whether it is right.
// Plain  In plain mode no slot is ever given to another register.
#pragma once

#include <array>
#include <vector>

#include "simulator/code/function_code.h"
#include "simulator/code/width.h"
#include "simulator/ptxas/value_classes.h"

namespace coalesce::simulator {

/// Of each root register: as long as one of its names is alive.
std::vector<Liveness::Range> lifetimes(const Registers& registers, const Liveness& liveness);

/// Hands out slots of a file, by width, and takes them back.
class SlotPool {
public:
    explicit SlotPool(bool reuses) : reuses_(reuses) {}
    Slot take(Width width);
    /// One that nothing else uses, before or after: for values that outlive the walk over the body.
    Slot take_for_good(Width width);
    void give_back(Slot slot, Width width);
    u32 bytes() const { return top_; }
    /// All that were ever made.
    const std::vector<SlotPlace>& places() const { return places_; }

private:
    const bool reuses_;
    std::array<std::vector<Slot>, 5> free_;  ///< by Width
    std::vector<SlotPlace> places_;
    u32 top_ = 0;
};

}  // namespace coalesce::simulator
