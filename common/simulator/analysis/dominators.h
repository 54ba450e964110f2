// Which blocks of a function a lane has passed when it comes to a block, whichever way it came.
#pragma once

#include <vector>

#include "analysis/control_flow.h"

namespace coalesce::sim {

class Dominators {
public:
    explicit Dominators(const ControlFlow& flow);

    /// The last one before a block; none before the first, and before blocks that are never reached.
    u32 before(u32 block) const { return before_[block]; }
    bool passed(u32 earlier, u32 block) const;

private:
    u32 common(u32 a, u32 b) const;

    std::vector<u32> before_;
};

}  // namespace coalesce::sim
