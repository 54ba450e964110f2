// Arranges a warp's operations as ptxas would, as far as the order matters.
//
// Within an iteration of a loop, operations that depend on no load move to the front, even past
// barriers. Sums of loaded values move to the end. Between barriers, loads from global memory come
// first, then loads from shared memory, then the rest. If ptxas has no registers left, it moves
// loads after operations that wait for earlier loads. The number of loads in flight then follows
// from the order that simulator/ptxas/list_schedule.h estimates.
#pragma once

#include <vector>

#include "timing/operations.h"

namespace coalesce::timing {

enum class Priority : std::uint8_t { load, arithmetic, shared_load, none };

/// An operation to be scheduled. Drafts are in the order of the PTX instructions.
struct Draft {
    Operation operation;
    Priority priority = Priority::none;
    std::uint32_t schedule_position =
        0;  ///< the position of the operation's instruction in ptxas's order
    bool is_scheduling_barrier =
        false;  ///< whether memory operations do not move across this one, as at a barrier
    /// Whether the operation ends a loop iteration. No operation moves across the end of an
    /// iteration.
    bool ends_iteration = false;
};

/// Returns the operations in their final order. Their `dependences` are positions in this order.
std::vector<Operation> schedule_operations(std::vector<Draft> drafts, bool is_short_of_registers);

}  // namespace coalesce::timing
