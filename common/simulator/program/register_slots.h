// Packs the registers that every warp computes anew into as few slots as are needed at once.
//
// Idea   PTX has a new virtual register for almost every result. What matters is how many are alive
//        at the same time: a slot is free again after the last use of the register in it. Lanes of
//        a warp may be at different places of the program, but each lane has its own column of
//        every slot, so the order of the text decides.
// Loops  A register that is alive when a loop begins, or that carries a value from one turn to the
//        next, stays alive to the loop's end.
#pragma once

#include <array>
#include <map>
#include <vector>

#include "instructions/lanes.h"
#include "program/lower.h"
#include "program/value_classes.h"

namespace coalesce::sim {

struct Lifetime {
    u32 begin = ~0u, end = 0;  ///< indices into the body; begin > end: never used
    bool used_before_written = false;
};

/// A branch from `to` back up to `from`.
struct LoopRange {
    u32 from = 0, to = 0;
};
std::vector<LoopRange> loops_of(const ptx::Function& function);

/// Of each root register.
std::vector<Lifetime> lifetimes(const ptx::Function& function, const Registers& registers,
                                const std::vector<LoopRange>& loops);

u32 bytes_of(Width width);  ///< of a slot: 32 lanes

/// Hands out slots of a file, by width, and takes them back.
class SlotPool {
public:
    Slot take(Width width);
    /// One that nothing else uses, before or after: for values that outlive the walk over the body.
    Slot take_for_good(Width width);
    void give_back(Slot slot, Width width);
    u32 bytes() const { return top_; }

private:
    std::array<std::vector<Slot>, 5> free_;  ///< by Width
    u32 top_ = 0;
};

}  // namespace coalesce::sim
