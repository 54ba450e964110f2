// The order of a warp's operations, as far as it matters: as ptxas would put them.
//
// Between a loop's turns, what depends on no load moves to the front, past barriers too, and sums of what is loaded
// to the end. Between barriers, loads of global memory come first with all that leads to them, then loads of shared
// memory, then the rest. But where ptxas has no registers left, it puts loads behind what waits for earlier ones: as
// many are under way at a time as its order (simulator/ptxas/list_schedule.h) says.
#pragma once

#include <vector>

#include "timing/operations.h"

namespace coalesce::timing {

enum class Priority : std::uint8_t { load, arithmetic, shared_load, none };

/// An operation in the order of the PTX.
struct Draft {
    Operation operation;
    Priority priority = Priority::none;
    std::uint32_t place = 0;  ///< where ptxas puts its instruction
    bool fixed = false;       ///< nothing moves across it: a barrier
    bool ends_piece = false;  ///< nor behind it: a loop's turn ends here
};

/// `after` names operations by their place in the result.
std::vector<Operation> in_order(std::vector<Draft> drafts, bool is_short_of_registers);

}  // namespace coalesce::timing
