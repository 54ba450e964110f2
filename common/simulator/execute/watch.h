// Determines whether blocks that wait for each other can still make progress.
//
// Builds on  analysis/deciding_registers.h.
// Idea       A wait is hopeless if the state of the grid repeats. The next action of a block
//            depends on memory and on the block's own state (the positions of its lanes, its
//            registers, its barriers). While no byte of memory changes, blocks cannot observe each
//            other. So if every block has returned to an earlier state, and no byte has changed
//            since then, the blocks will wait forever. A loop that counts its attempts is in a new
//            state in each iteration, and may continue until the instruction limit ends it.
// Cost       Examining every store and every register would be slow. Normally, there are only two
//            kinds of reports: atomics and mbarrier instructions report that they have changed
//            memory, and a warp reports that it has computed for some time without waiting. After
//            several rounds over all blocks without a report, the Watch compares stores with the
//            values that they replace, and remembers the states of blocks.
// Registers  A value that does not affect how the loop continues (such as a counter for statistics)
//            is not part of the state (analysis/deciding_registers.h).
// Time       If the loop reads a clock, values computed from the clock are not part of the state
//            either. While all blocks only wait, the simulated time skips forward, twice as far
//            each time. A program that gives up after an hour then gives up immediately, and a
//            program that has not given up after two weeks of simulated time never will.
// Host       On hardware, the host continues while a kernel runs, and may end a wait by writing to
//            pinned or managed memory. The simulator writes a different report for a wait that the
//            host could end.
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

/// Returns a hash of a value. Warp::local_state adds such hashes up for all changed local bytes.
inline u64 mix_bits(u64 value) {
    value ^= value >> 32;
    value *= 0x9e3779b97f4a7c15ull;
    value ^= value >> 29;
    value *= 0xbf58476d1ce4e5b9ull;
    return value ^ value >> 32;
}

/// An earlier state of a waiting block, with which later states are compared. The remembered state
/// is replaced less and less often, so that cycles of any length are found.
struct WaitingState {
    u64 change_version = 0;   ///< the value of Watch::change_version_ when the state was remembered
    u64 remembered_hash = 0;  ///< a hash of the remembered state
    u32 comparison_count = 0, next_comparison = 1;
    bool is_repeated = false;
};

/// Detects hopeless waits among the blocks of one worker. Blocks that may wait for each other share
/// a worker.
class Watch {
public:
    void begin_launch(Launch& launch);

    // ---- events ----

    /// Records a change of a byte that other threads can see, or another event that may end a wait.
    void note_memory_change() { ++change_count_; }
    u64 change_count() const { return change_count_; }
    /// Records progress: lanes have started or ended, or a warp has computed for a long time
    /// without waiting.
    void note_progress() { ++progress_event_count_; }
    u64 progress_count() const { return change_count_ + progress_event_count_; }

    // ---- used while the blocks appear to be stuck ----

    /// Reports whether the blocks appear to be stuck. If it returns true, stores must report
    /// whether they change memory, and polling loads must report which values they read.
    bool is_on() const { return is_on_; }
    /// Records that this Op is about to be executed.
    void note_execution(Warp& w, const Op* op);
    /// Records that the active lanes poll words of global memory. `own_lanes` contains the lanes
    /// that try to take a lock held by a thread of the same kernel. The host cannot release such a
    /// lock.
    void note_poll(const Warp& w, const Op* op, const u64* addresses, Mask own_lanes);

    // ---- the verdict, once every waiting block has run again ----

    enum class Verdict : u8 { keep_running, deadlock, waits_for_host };
    Verdict end_round(const std::vector<Block*>& waiting);
    /// Returns the report for Verdict::waits_for_host. Its check, kind, place and thread are set,
    /// and it contains the address of the polled word.
    const Report& host_wait_report() const { return *host_wait_report_; }

private:
    /// The data that the Watch keeps about one instruction of a function's body.
    struct Step {
        bool is_executed = false;
        /// the next instruction on the same path that reads memory which other threads can change;
        /// null if there is none
        const Op* polling_op = nullptr;
    };
    struct WatchedFunction {
        std::vector<Step> steps;  ///< the data about each instruction of the body
        std::vector<RegisterPlacement> placed_registers;  ///< the deciding registers
    };
    void add_straight_line_steps(const FunctionCode& code, const Op* first_op,
                                 std::vector<Step>& steps);
    void start_watching();
    void find_watched_registers();
    bool have_all_repeated(const std::vector<Block*>& waiting);
    u64 hash_state(const Warp& w) const;
    u64 hash_state(const Block& block) const;
    u64 hash_registers(const FunctionCode& code, const u8* file) const;
    bool skip_time();
    bool may_host_still_write();

    Launch* launch_ = nullptr;
    u64 change_count_ = 0, progress_event_count_ = 0;
    u64 last_progress_count_ = 0;
    u32 idle_rounds_ = 0;

    bool is_on_ = false;
    /// True if an instruction has been executed for the first time since the last call of
    /// find_watched_registers().
    bool has_new_instructions_ = false;
    u64 change_version_ = 0;  ///< incremented to invalidate all remembered states
    bool reads_clock_ = false;
    /// The base-2 logarithm of the number of cycles by which the simulated clock will skip forward
    /// next.
    u32 next_skip_exponent_ = 0;
    std::unordered_map<const FunctionCode*, WatchedFunction> watched_functions_;
    /// The addresses of the words that polling loads have read.
    std::vector<u64> polled_addresses_;
    std::optional<Report> host_wait_report_;
    std::chrono::steady_clock::time_point host_wait_start_{};
};

}  // namespace coalesce::simulator
