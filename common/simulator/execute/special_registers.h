// Defines the special registers, such as %tid, %laneid and %clock64.
//
// Builds on  block.h.
// Idea       Most special registers never change while a kernel runs. The scope of a register's
//            value (the launch, the block, the warp's position in its block) determines how often
//            the value must be computed.
#pragma once

#include <string>

#include "simulator/code/width.h"
#include "simulator/execute/warp.h"

namespace coalesce::simulator {

struct Launch;

/// The set of threads for which a special register has the same value.
enum class ValueScope : u8 {
    launch,  ///< the same for all threads of a launch
    block,   ///< the same for all threads of a block
    /// Depends only on the thread's index in its block, and is the same in every block.
    thread,
    every_read,  ///< depends on the time, so every read must be executed
};

struct SpecialRegister {
    ValueScope scope = ValueScope::launch;
    /// The width of the value; Width::predicate only for %is_explicit_cluster.
    Width width = Width::w32;
    /// Returns the register's value for the thread in `lane`. If `scope` is ValueScope::launch, the
    /// value depends only on warp.block->launch. If `scope` is ValueScope::block, the value depends
    /// only on warp.block.
    u64 (*compute_value)(const Warp& warp, int lane) = nullptr;
    /// True if the value is an address in the shared memory reserved for the system.
    bool is_in_reserved_shared = false;

    /// Reports whether the value depends on the order in which blocks run, as it does for the clock
    /// registers.
    bool is_order_sensitive() const { return scope == ValueScope::every_read; }
};

/// The name of an additional register, which PTX does not have. It contains the generic address of
/// the thread's local memory. To convert an offset in local memory to a generic address, cvta adds
/// this register.
inline constexpr const char* kLocalWindowRegister = "%local_window";

/// Finds a register by its name in the PTX, such as "%tid.x". Returns nullptr for unknown names.
const SpecialRegister* find_special_register(const std::string& name);

/// Writes each active lane's value of a special register to `slot`.
void read_special_register(Warp& w, const SpecialRegister& special, Slot slot);
/// The handler of a mov, such as `mov d, %clock`, that must read the special register each time it
/// is executed. Op::immediate points to the SpecialRegister, and Op::d is the destination.
const Op* run_read_special_register(Warp&, const Op*);

/// Returns the simulated time in nanoseconds. One cycle takes one nanosecond. The time advances by
/// Launch::cycles_per_instruction for every warp instruction of the block, and by the duration of
/// each nanosleep.
u64 read_clock(const Warp& warp);

}  // namespace coalesce::simulator
