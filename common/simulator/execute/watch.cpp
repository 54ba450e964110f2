// See watch.h.
#include "simulator/execute/watch.h"

#include <sys/stat.h>

#include <algorithm>
#include <thread>

#include "simulator/analysis/deciding_registers.h"
#include "simulator/execute/block.h"

namespace coalesce::simulator {
namespace {

/// The search for repeated states starts after this many consecutive rounds in which no waiting
/// block makes progress.
constexpr u32 kIdleRounds = 8;
/// The clocks skip forward by powers of two: first by 2^16 cycles (65 microseconds), last by 2^50
/// cycles (two weeks).
constexpr u32 kFirstSkipExponent = 16, kLastSkipExponent = 50;
/// The maximum number of addresses to store for waiting loads.
constexpr std::size_t kMaxPolledAddresses = 256;
/// The real time (not simulated time) for which a kernel waits for another thread of the program to
/// write the word that the kernel polls.
constexpr std::chrono::seconds kHostWaitLimit{10};

/// An order-dependent hash of a sequence of values.
class StateHasher {
public:
    void add_word(u64 value) { hash_ = mix_bits(hash_ ^ value) + 0x632be59bd9b4e019ull; }
    void add(const u8* bytes, u64 count) {
        u64 word;
        for (; count >= sizeof word; bytes += sizeof word, count -= sizeof word) {
            std::memcpy(&word, bytes, sizeof word);
            add_word(word);
        }
        for (; count; ++bytes, --count) add_word(*bytes);
    }
    u64 value() const { return hash_; }

private:
    u64 hash_ = 0;
};

/// Adds the parameters and results of a call to the hash. Omits arguments that the called function
/// itself passes to other functions, because they are live only until the next call.
void add_parameters(StateHasher& state_hash, const Frame& frame) {
    const u32 stride = frame.code->parameter_bytes;
    for (const auto* slots : {&frame.code->parameters, &frame.code->results})
        for (const ParameterSlot& slot : *slots)
            for (u32 lane = 0; lane < kLanes; ++lane)
                state_hash.add(frame.parameters + lane * stride + slot.offset, slot.bytes);
}

/// Reports whether the program has threads other than the launching thread.
bool has_other_threads() {
    struct stat root_folder;
    // The link count of a folder includes ".", its own name, and the ".." of each subfolder.
    return stat("/proc/self/task", &root_folder) == 0 && root_folder.st_nlink > 3;
}

/// Returns the kernel's instruction that executes `op`, possibly through function calls. In code
/// built without optimization, an atomic is a call to a function that has no source of its own.
const Op* find_kernel_op(const Warp& w, const Op* op) {
    for (const Frame* frame = w.frame; frame; frame = frame->caller) op = frame->call_op;
    return op;
}

bool can_host_write(const Allocation& allocation) {
    return allocation.kind == AllocationKind::managed ||
           allocation.kind == AllocationKind::pinned ||
           allocation.kind == AllocationKind::registered;
}

}  // namespace

void Watch::begin_launch(Launch& launch) {
    *this = {};
    launch_ = &launch;
}

// ---- what is watched ----

void Watch::note_execution(Warp& w, const Op* op) {
    const FunctionCode* code = w.frame ? w.frame->code : &launch_->code->kernel_function;
    std::vector<Step>& steps = watched_functions_[code].steps;
    if (steps.empty()) steps.resize(code->ast->body.size() + 1);
    if (!steps[op->source].is_executed) {
        has_new_instructions_ = true;
        add_straight_line_steps(*code, op, steps);
    }
    if (const Op* polling_op = steps[op->source].polling_op) {
        w.polling_op = polling_op;
        w.polling_frame = w.frame;
    }
}

/// Records the execution of a sequence of arithmetic Ops, whose handlers call the next Op directly
/// instead of returning to the scheduler.
void Watch::add_straight_line_steps(const FunctionCode& code, const Op* first_op,
                                    std::vector<Step>& steps) {
    const auto& body = code.ast->body;
    const Op* last_op = first_op;
    while (last_op->source < body.size() && has_no_side_effects(body[last_op->source])) ++last_op;
    const bool is_polling =
        last_op->source < body.size() && reads_changeable_memory(body[last_op->source]);
    for (const Op* op = first_op; op <= last_op; ++op)
        steps[op->source] = {true, is_polling ? last_op : nullptr};
}

void Watch::note_poll(const Warp& w, const Op* op, const u64* addresses, Mask own_lanes) {
    if (host_wait_report_) return;
    for (const int lane : LaneRange{w.active & ~own_lanes}) {
        const u64 address = addresses[lane];
        if (polled_addresses_.size() >= kMaxPolledAddresses ||
            std::find(polled_addresses_.begin(), polled_addresses_.end(), address) !=
                polled_addresses_.end())
            continue;
        polled_addresses_.push_back(address);
        const Allocation* allocation = launch_->allocations->find(address);
        if (!allocation || !can_host_write(*allocation)) continue;
        host_wait_report_ =
            w.describe(find_kernel_op(w, op), "synccheck", "waits for the host", lane);
        host_wait_report_->address = address;
        return;
    }
}

void Watch::start_watching() {
    is_on_ = true;
    has_new_instructions_ = false;
    watched_functions_.clear();
    polled_addresses_.clear();
    host_wait_report_.reset();
    next_skip_exponent_ = kFirstSkipExponent;
    host_wait_start_ = {};
}

/// Determines, from the instructions that have been executed, which registers belong to a block's
/// state.
void Watch::find_watched_registers() {
    has_new_instructions_ = false;
    ++change_version_;
    reads_clock_ = false;
    for (auto& [code, watched_entry] : watched_functions_) {
        std::vector<bool> is_executed;
        for (const Step& step : watched_entry.steps) is_executed.push_back(step.is_executed);
        const DecidingRegisters registers =
            find_deciding_registers(*launch_->kernel->module->ast, *code, is_executed);
        reads_clock_ |= registers.contains_clock_read;
        watched_entry.placed_registers.clear();
        for (const RegisterPlacement& r : code->placed_registers)
            if (registers.is_deciding[r.root]) watched_entry.placed_registers.push_back(r);
    }
}

// ---- states ----

u64 Watch::hash_registers(const FunctionCode& code, const u8* file) const {
    StateHasher state_hash;
    const auto watched_entry = watched_functions_.find(&code);
    if (watched_entry != watched_functions_.end())
        for (const RegisterPlacement& r : watched_entry->second.placed_registers)
            state_hash.add(file + r.offset, r.bytes);
    return state_hash.value();
}

u64 Watch::hash_state(const Warp& w) const {
    const FunctionCode& main = launch_->code->kernel_function;
    StateHasher state_hash;
    state_hash.add_word(w.live_lanes);
    state_hash.add_word(u64{w.spin_limit} << 32 | w.spin_count);
    state_hash.add_word(w.yields_to_warps);
    state_hash.add_word(w.local_state);
    state_hash.add_word(u64{w.cluster_arrived} << 32 | w.cluster_completed);
    state_hash.add_word(hash_registers(main, w.kernel_registers));
    for (const Fragment& f : w.other_fragments) {
        state_hash.add_word(reinterpret_cast<u64>(f.next_op));
        state_hash.add_word(u64{f.lanes} << 32 | f.awaited_lanes);
        state_hash.add_word(u64{static_cast<u8>(f.state)} << 8 | f.barrier);
        for (const Frame* frame = f.frame; frame; frame = frame->caller) {
            state_hash.add_word(reinterpret_cast<u64>(frame->call_op));
            state_hash.add_word(u64{frame->lanes_in_call} << 32 | frame->local_base);
            state_hash.add_word(hash_registers(*frame->code, frame->registers));
            add_parameters(state_hash, *frame);
        }
    }
    return state_hash.value();
}

u64 Watch::hash_state(const Block& block) const {
    StateHasher state_hash;
    for (const Warp& w : block.warps) state_hash.add_word(hash_state(w));
    for (const Barrier& b : block.barriers) {
        if (!b.is_in_use) continue;
        state_hash.add_word(static_cast<u64>(&b - block.barriers));
        state_hash.add_word(u64{b.expected_threads} << 32 | b.nonwaiting_arrivals);
        state_hash.add_word(u64{b.votes} << 32 | b.true_votes);
    }
    return state_hash.value();
}

/// Reports whether every block has returned to an earlier state. The reference state is updated
/// less and less often (Brent's algorithm), so that cycles of any length are found.
bool Watch::have_all_repeated(const std::vector<Block*>& waiting) {
    bool all_repeated = true;
    for (Block* block : waiting) {
        WaitingState& waiting_state = block->waiting_state;
        const u64 current_hash = hash_state(*block);
        if (waiting_state.change_version != change_version_) {
            waiting_state = {.change_version = change_version_, .remembered_hash = current_hash};
        } else if (current_hash == waiting_state.remembered_hash) {
            waiting_state.is_repeated = true;
        } else if (++waiting_state.comparison_count == waiting_state.next_comparison) {
            waiting_state.remembered_hash = current_hash;
            waiting_state.comparison_count = 0;
            waiting_state.next_comparison *= 2;
        }
        all_repeated &= waiting_state.is_repeated;
    }
    return all_repeated;
}

// ---- the verdict ----

/// Advances the simulated clock if a waiting loop reads it, because the loop may be waiting until a
/// certain time. Returns false if no loop reads a clock, or if enough time has been skipped.
bool Watch::skip_time() {
    if (!reads_clock_ || next_skip_exponent_ > kLastSkipExponent) return false;
    launch_->skipped_cycles += u64{1} << next_skip_exponent_++;
    ++change_version_;
    return true;
}

/// Waits for a short time if another thread of the program may still write the word that the kernel
/// polls. Returns false if there is no such thread, or if kHostWaitLimit has passed.
bool Watch::may_host_still_write() {
    if (!has_other_threads()) return false;
    const auto now = std::chrono::steady_clock::now();
    if (host_wait_start_ == std::chrono::steady_clock::time_point{}) host_wait_start_ = now;
    if (now - host_wait_start_ > kHostWaitLimit) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ++change_version_;
    return true;
}

Watch::Verdict Watch::end_round(const std::vector<Block*>& waiting) {
    if (progress_count() != last_progress_count_) {
        last_progress_count_ = progress_count();
        idle_rounds_ = 0;
        is_on_ = false;
        return Verdict::keep_running;
    }
    if (!is_on_) {
        if (++idle_rounds_ >= kIdleRounds) start_watching();
        return Verdict::keep_running;
    }
    if (has_new_instructions_) {
        find_watched_registers();
        return Verdict::keep_running;
    }
    if (!have_all_repeated(waiting) || skip_time()) return Verdict::keep_running;
    if (host_wait_report_ && may_host_still_write()) return Verdict::keep_running;
    return host_wait_report_ ? Verdict::waits_for_host : Verdict::deadlock;
}

}  // namespace coalesce::simulator
