// %tid, %laneid, %clock64 ...: the registers that hardware fills in.
//
// Builds on  block.h.
// Idea       Most never change while a kernel runs. How far a value reaches (the launch, the block,
//            the warp's position in its block) says how often it must be computed.
#pragma once

#include <string>

#include "simulator/code/width.h"
#include "simulator/execute/warp.h"

namespace coalesce::simulator {

struct Launch;

/// What a special register's value depends on.
enum class Varies : u8 {
    launch,  ///< the same for all threads of a launch
    block,   ///< the same for all threads of a block
    thread,  ///< on the thread's place in its block only: the same for every block of a launch
    always,  ///< on the moment: read again each time, never moved or shared
};

struct SpecialRegister {
    Varies varies = Varies::launch;
    Width width = Width::w32;  ///< a predicate for %is_explicit_cluster
    /// Its value for the thread in `lane`; `launch` registers look at warp.block->launch only,
    /// `block` registers at warp.block only.
    u64 (*value)(const Warp& warp, int lane) = nullptr;
    bool of_reserved_shared = false;  ///< a place in the shared memory that the system reserves

    /// Reading it makes the result depend on when blocks run (the clocks).
    bool order_sensitive() const { return varies == Varies::always; }
};

/// `name` as in the PTX: "%tid.x". nullptr: there is no such register.
const SpecialRegister* find_special_register(const std::string& name);

/// Writes what the active lanes read.
void read_special(Warp& w, const SpecialRegister& special, Slot slot);
/// Instructions `mov d, %clock`: Op::immediate holds the SpecialRegister, Op::d is written.
const Op* run_read_special(Warp&, const Op*);

/// Simulated time in nanoseconds, which are cycles as well: goes on by kCyclesPerInstruction for
/// every warp instruction that the block executes, and by what nanosleep sleeps.
u64 clock_of(const Warp& warp);

}  // namespace coalesce::simulator
