// The special registers, whose values the hardware provides: %tid, %laneid, %clock64 ...
//
// Builds on  block.h.
// Idea       Most of them never change while a kernel runs. The scope of a value (the launch, the
//            block, the warp's position in its block) determines how often it must be computed.
#pragma once

#include <string>

#include "simulator/code/width.h"
#include "simulator/execute/warp.h"

namespace coalesce::simulator {

struct Launch;

/// The scope of a special register's value.
enum class Varies : u8 {
    launch,  ///< the same for all threads of a launch
    block,   ///< the same for all threads of a block
    /// Depends only on the thread's position in its block, so it is the same in every block.
    thread,
    always,  ///< depends on the time: it is read again each time, and never moved or shared
};

struct SpecialRegister {
    Varies varies = Varies::launch;
    Width width = Width::w32;  ///< a predicate for %is_explicit_cluster
    /// Returns the value for the thread in `lane`. `launch` registers use only warp.block->launch,
    /// and `block` registers only warp.block.
    u64 (*value)(const Warp& warp, int lane) = nullptr;
    /// Whether it is an address in the system's reserved shared memory.
    bool of_reserved_shared = false;

    /// Reports whether reading it makes the result depend on when blocks run (the clocks).
    bool order_sensitive() const { return varies == Varies::always; }
};

/// Finds a register by its name in the PTX, such as "%tid.x". Returns nullptr for unknown names.
const SpecialRegister* find_special_register(const std::string& name);

/// Writes the values that the active lanes read.
void read_special(Warp& w, const SpecialRegister& special, Slot slot);
/// The handler of `mov d, %clock`. Op::immediate holds the SpecialRegister, and Op::d is written.
const Op* run_read_special(Warp&, const Op*);

/// Returns the simulated time in nanoseconds, which equals cycles. It increases by
/// kCyclesPerInstruction for every warp instruction of the block, and by the time that nanosleep
/// sleeps.
u64 clock_of(const Warp& warp);

}  // namespace coalesce::simulator
