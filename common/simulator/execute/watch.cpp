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
/// The time, real and not simulated, for which a kernel waits for another thread of the program to
/// write the word that the kernel polls.
constexpr std::chrono::seconds kHostWaitLimit{10};

/// An order-dependent hash of a sequence of values.
class StateHash {
public:
    void add(u64 value) { sum_ = mix_bits(sum_ ^ value) + 0x632be59bd9b4e019ull; }
    void add(const u8* bytes, u64 count) {
        u64 word;
        for (; count >= sizeof word; bytes += sizeof word, count -= sizeof word) {
            std::memcpy(&word, bytes, sizeof word);
            add(word);
        }
        for (; count; ++bytes, --count) add(*bytes);
    }
    u64 value() const { return sum_; }

private:
    u64 sum_ = 0;
};

/// Adds the parameters and results of a call to the hash. Omits arguments that the called function
/// itself passes to other functions, because they are live only until the next call.
void add_parameters(StateHash& digest, const Frame& frame) {
    const u32 stride = frame.code->parameter_bytes;
    for (const auto* slots : {&frame.code->parameters, &frame.code->results})
        for (const ParameterSlot& slot : *slots)
            for (u32 lane = 0; lane < kLanes; ++lane)
                digest.add(frame.parameters + lane * stride + slot.offset, slot.bytes);
}

/// Reports whether the program has threads other than the launching thread.
bool has_other_threads() {
    struct stat folder;
    // The link count of a folder includes ".", its own name, and the ".." of each subfolder.
    return stat("/proc/self/task", &folder) == 0 && folder.st_nlink > 3;
}

/// Returns the kernel's instruction that executes `op`, possibly through function calls. In code
/// built without optimization, an atomic is a call to a function that has no source of its own.
const Op* outermost(const Warp& w, const Op* op) {
    for (const Frame* frame = w.frame; frame; frame = frame->caller) op = frame->called_from;
    return op;
}

bool host_can_write(const Allocation& allocation) {
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
    const FunctionCode* code = w.frame ? w.frame->code : &launch_->code->main;
    std::vector<Step>& steps = plans_[code].steps;
    if (steps.empty()) steps.resize(code->ast->body.size() + 1);
    if (!steps[op->source].executed) {
        has_new_instructions_ = true;
        add_straight_line_steps(*code, op, steps);
    }
    if (const Op* polling_op = steps[op->source].polling_op) {
        w.polling_op = polling_op;
        w.polling_frame = w.frame;
    }
}

/// Records a sequence of plain arithmetic, whose handlers call the next Op directly instead of
/// returning to the scheduler.
void Watch::add_straight_line_steps(const FunctionCode& code, const Op* first,
                                    std::vector<Step>& steps) {
    const auto& body = code.ast->body;
    const Op* last = first;
    while (last->source < body.size() && only_computes(body[last->source])) ++last;
    const bool polling_op =
        last->source < body.size() && reads_changeable_memory(body[last->source]);
    for (const Op* op = first; op <= last; ++op)
        steps[op->source] = {true, polling_op ? last : nullptr};
}

void Watch::note_poll(const Warp& w, const Op* op, const u64* addresses, Mask own) {
    if (host_wait_report_) return;
    for (const int lane : LanesIn{w.active & ~own}) {
        const u64 address = addresses[lane];
        if (polled_.size() >= kMaxPolledAddresses ||
            std::find(polled_.begin(), polled_.end(), address) != polled_.end())
            continue;
        polled_.push_back(address);
        const Allocation* found = launch_->allocations->find(address);
        if (!found || !host_can_write(*found)) continue;
        host_wait_report_ = w.describe(outermost(w, op), "synccheck", "waits for the host", lane);
        host_wait_report_->address = address;
        return;
    }
}

void Watch::begin() {
    on_ = true;
    has_new_instructions_ = false;
    plans_.clear();
    polled_.clear();
    host_wait_report_.reset();
    next_skip_exponent_ = kFirstSkipExponent;
    host_wait_start_ = {};
}

/// Determines, from the instructions that have been executed, which registers belong to the state.
void Watch::find_watched_registers() {
    has_new_instructions_ = false;
    ++version_;
    reads_clock_ = false;
    for (auto& [code, plan] : plans_) {
        std::vector<bool> executed;
        for (const Step& step : plan.steps) executed.push_back(step.executed);
        const DecidingRegisters registers =
            deciding_registers(*launch_->kernel->module->ast, *code, executed);
        reads_clock_ |= registers.reads_clock;
        plan.state.clear();
        for (const PlacedRegister& r : code->placed)
            if (registers.decides[r.root]) plan.state.push_back(r);
    }
}

// ---- states ----

u64 Watch::hash_registers(const FunctionCode& code, const u8* file) const {
    StateHash digest;
    const auto plan = plans_.find(&code);
    if (plan != plans_.end())
        for (const PlacedRegister& r : plan->second.state) digest.add(file + r.offset, r.bytes);
    return digest.value();
}

u64 Watch::hash_state(const Warp& w) const {
    const FunctionCode& main = launch_->code->main;
    StateHash digest;
    digest.add(w.live);
    digest.add(u64{w.spin_limit} << 32 | w.spins);
    digest.add(w.local_state);
    digest.add(u64{w.cluster_arrived} << 32 | w.cluster_completed);
    digest.add(hash_registers(main, w.kernel_file));
    for (const Fragment& f : w.others) {
        digest.add(reinterpret_cast<u64>(f.at));
        digest.add(u64{f.lanes} << 32 | f.wanted);
        digest.add(u64{static_cast<u8>(f.state)} << 8 | f.barrier);
        for (const Frame* frame = f.frame; frame; frame = frame->caller) {
            digest.add(reinterpret_cast<u64>(frame->called_from));
            digest.add(u64{frame->inside} << 32 | frame->local_base);
            digest.add(hash_registers(*frame->code, frame->registers));
            add_parameters(digest, *frame);
        }
    }
    return digest.value();
}

u64 Watch::hash_state(const Block& block) const {
    StateHash digest;
    for (const Warp& w : block.warps) digest.add(hash_state(w));
    for (const Barrier& b : block.barriers) {
        if (!b.in_use) continue;
        digest.add(static_cast<u64>(&b - block.barriers));
        digest.add(u64{b.expected} << 32 | b.arrived_without_waiting);
        digest.add(u64{b.votes} << 32 | b.true_votes);
    }
    return digest.value();
}

/// Reports whether every block has returned to an earlier state. The reference state is updated
/// less and less often (Brent's algorithm), so that cycles of any length are found.
bool Watch::have_all_repeated(const std::vector<Block*>& waiting) {
    bool all = true;
    for (Block* block : waiting) {
        WaitingState& seen = block->waiting;
        const u64 state = hash_state(*block);
        if (seen.version != version_) {
            seen = {.version = version_, .remembered = state};
        } else if (state == seen.remembered) {
            seen.repeats = true;
        } else if (++seen.looks == seen.next_remembered) {
            seen.remembered = state;
            seen.looks = 0;
            seen.next_remembered *= 2;
        }
        all &= seen.repeats;
    }
    return all;
}

// ---- the verdict ----

/// Advances the simulated clock if a waiting loop reads it, because the loop may be waiting until a
/// certain time. Returns false if no loop reads a clock, or if enough time has been skipped.
bool Watch::skip_time() {
    if (!reads_clock_ || next_skip_exponent_ > kLastSkipExponent) return false;
    launch_->skipped_cycles += u64{1} << next_skip_exponent_++;
    ++version_;
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
    ++version_;
    return true;
}

Watch::Verdict Watch::end_round(const std::vector<Block*>& waiting) {
    if (progress() != progress_seen_) {
        progress_seen_ = progress();
        idle_rounds_ = 0;
        on_ = false;
        return Verdict::keep_running;
    }
    if (!on_) {
        if (++idle_rounds_ >= kIdleRounds) begin();
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
