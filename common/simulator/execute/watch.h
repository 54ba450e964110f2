// Waiting told from working: can anything still end what the blocks wait for?
//
// Builds on  analysis/deciding_registers.h.
// Idea       A wait is hopeless when the state of the grid repeats. What a block does next follows
//            from memory and from its own state (where its lanes are, its registers, its barriers);
//            while no byte of memory changes, blocks do not see each other. So as soon as every
//            block has come back to a state in which it was before, and no byte has changed since,
//            nothing ever will. A loop that counts its attempts has another state on every turn and
//            may go on; only a budget of instructions ends it.
// Cost       Looking at every store and every register would be slow, so nobody does as long as
//            things move: atomics and mbarriers, which look at memory anyway, say when they have
//            changed it, and a warp says when it has computed without waiting. Only after some
//            rounds over all blocks without any of that are stores compared with what they replace,
//            and states remembered.
// Registers  A value that decides nothing in the loop (a count of turns for the statistics) is no
//            part of the state: see analysis/deciding_registers.h.
// Time       Where the loop reads a clock, values made from it are left out as well, and time leaps
//            while nothing else happens, twice as far every time: whoever gives up after an hour
//            does so at once, and who has not given up after two weeks never will.
// Host       A word that the host can write as well (pinned or managed memory) may be what ends the
//            wait on hardware, where the host goes on while a kernel runs. That is told apart.
#pragma once

#include <chrono>
#include <optional>
#include <unordered_map>
#include <vector>

#include "simulator/code/function_code.h"
#include "simulator/report/reports.h"

namespace coalesce::simulator {

struct Block;
struct Launch;
struct Warp;

/// Spreads the bits of a value, so that sums of such tell states apart.
inline u64 hash_of(u64 value) {
    value ^= value >> 32;
    value *= 0x9e3779b97f4a7c15ull;
    value ^= value >> 29;
    value *= 0xbf58476d1ce4e5b9ull;
    return value ^ value >> 32;
}

/// How often the state of a waiting block was looked at, and whether it has come round.
struct WaitingState {
    u64 version = 0;  ///< of what was watched, when the state was remembered
    u64 remembered = 0;
    u32 looks = 0, next_remembered = 1;
    bool repeats = false;
};

/// One for each worker: blocks that could wait for each other have the same one.
class Watch {
public:
    void begin_launch(Launch& launch);

    // ---- what goes on ----

    /// A byte that threads can see has another value, or something else that could end a wait.
    void memory_changed() { ++changes_; }
    u64 changes() const { return changes_; }
    /// A block or lanes began or ended, or a warp has computed for long without waiting.
    void worked() { ++worked_; }
    u64 progress() const { return changes_ + worked_; }

    // ---- while it seems that nothing goes on ----

    /// Stores have to say whether they change anything, and loads that wait what they read.
    bool on() const { return on_; }
    /// This Op is about to run.
    void executes(Warp& w, const Op* op);
    /// The active lanes wait for these words of global memory. `own` are those lanes that would
    /// store what is there already: locks that the kernel itself has taken.
    void polls(const Warp& w, const Op* op, const u64* addresses, Mask own);

    // ---- the verdict, after a round over all blocks that wait ----

    enum class Verdict : u8 { goes_on, deadlock, waits_for_host };
    Verdict end_round(const std::vector<Block*>& waiting);
    /// Of waits_for_host: who waits for which word. Check, kind, place, thread and address.
    const Report& wait_for_host() const { return *for_host_; }

private:
    /// Of an instruction of a function's body.
    struct Step {
        bool executed = false;
        const Op* asks = nullptr;  ///< the question to memory that the way from here leads to
    };
    struct Plan {
        std::vector<Step> steps;            ///< by index into the body
        std::vector<PlacedRegister> state;  ///< the registers that decide
    };
    void note_straight_piece(const FunctionCode& code, const Op* first, std::vector<Step>& steps);
    void begin();
    void look_closer();
    bool all_repeat(const std::vector<Block*>& waiting);
    u64 state_of(const Warp& w) const;
    u64 state_of(const Block& block) const;
    u64 registers_of(const FunctionCode& code, const u8* file) const;
    bool leap();
    bool host_may_come();

    Launch* launch_ = nullptr;
    u64 changes_ = 0, worked_ = 0;
    u64 progress_seen_ = 0;
    u32 idle_rounds_ = 0;

    bool on_ = false;
    bool grown_ = false;  ///< something was executed for the first time
    u64 version_ = 0;     ///< raised when states cannot be compared with earlier ones
    bool reads_clock_ = false;
    u32 next_leap_ = 0;  ///< a power of two
    std::unordered_map<const FunctionCode*, Plan> plans_;
    std::vector<u64> polled_;  ///< addresses that have been looked at
    std::optional<Report> for_host_;
    std::chrono::steady_clock::time_point host_awaited_{};
};

}  // namespace coalesce::simulator
