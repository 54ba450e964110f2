// Simulates one multiprocessor.
// Long: all parts of the simulation advance the same clocks.
#include "timing/multiprocessor.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>
#include <unordered_map>

#include "timing/machine.h"
#include "timing/room.h"
#include "timing/rounded.h"

namespace coalesce::timing {

namespace {

using Kind = Operation::Kind;

constexpr int kSchedulers = 4;
/// The maximum length of the queue of requests to the L1 cache and shared memory, in
/// cycles of work. While the queue is full, warps wait.
constexpr double kLsuQueueCycles = 64;
/// The number of cycles that the L1 cache takes for each line of a request.
constexpr double kCyclesPerLine = 1;
/// The number of cycles that the L1 cache takes to fill each half line.
constexpr double kCyclesPerHalfLineFill = .5;
/// The time constant for averaging the utilization of memory, in cycles.
constexpr double kUtilizationAveragingCycles = 6000;
/// The amount of written data that can wait for memory, as the number of cycles that a
/// multiprocessor's share of memory takes to accept it.
constexpr double kWriteBufferCycles = 4000;
/// The longest time, in cycles, for which a multiprocessor may use more than its share of memory
/// while other multiprocessors pause.
constexpr double kMaxBurstCycles = 8000;

/// Pseudo-random numbers that vary the latencies of loads. The sequence is the same in every run.
class LatencyRandom {
public:
    /// Returns a number from a gamma distribution of shape 2 with the mean 1.
    double gamma() { return rounded(-std::log(uniform() * uniform()) / 2); }
    /// Returns a number between 0 and 1.
    double uniform() {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        return (static_cast<double>(state_ >> 11) + .5) / 9007199254740992.0;
    }

private:
    std::uint64_t state_ = 0x9e3779b97f4a7c15ull;
};

/// A multiprocessor's share of memory and of the L2 cache.
class MemoryShare {
public:
    /// `part` is the average demand of all multiprocessors for memory, divided by this
    /// multiprocessor's demand.
    MemoryShare(const MultiprocessorWork& work, const Gpu& gpu, double part)
        : work_(work), gpu_(gpu), bandwidth_share_(part) {}

    /// Returns the time at which data requested at `t` arrives, before the random variation of
    /// latencies is added.
    double read(double t, double sectors) {
        const double begin = occupy(t, sectors * work_.read_cycles * bandwidth_share_);
        return begin + latency();  // `occupy` has changed the latency
    }
    /// Returns the time at which the L2 cache has room for the sectors. The cache holds
    /// the data that memory cannot accept yet.
    double write(double t, double sectors) {
        return occupy(t, sectors * work_.write_cycles * bandwidth_share_) - kWriteBufferCycles;
    }

    /// Returns the latency of a load that starts now.
    double latency() const {
        const double u = std::min(recent_utilization_, .97);
        return gpu_.clock_ghz * (gpu_.latency_ns + gpu_.queue_ns * u / (1 - u) +
                                 gpu_.write_delay_ns * u * work_.write_fraction);
    }
    double idle_latency() const { return gpu_.clock_ghz * gpu_.latency_ns; }
    /// Returns the part of the latency that is due to queuing.
    double queue() const { return latency() - idle_latency(); }
    double busy() const { return used_; }

private:
    /// Adds a request to memory's queue, and returns the time at which memory starts to serve the
    /// request.
    double occupy(double t, double cycles) {
        if (cycles <= 0) return t;
        const double decay = rounded(
            std::exp(-(std::max(t, last_access_) - last_access_) / kUtilizationAveragingCycles));
        last_access_ = std::max(t, last_access_);
        recent_cycles_ = recent_cycles_ * decay + cycles;
        average_weight_ = average_weight_ * decay + (1 - decay) * kUtilizationAveragingCycles;
        recent_utilization_ = std::min(
            1.0, recent_cycles_ / std::max(average_weight_, kUtilizationAveragingCycles / 8));
        free_at_ = std::max(free_at_, t - burst_credit_) + cycles;
        burst_credit_ = std::min(kMaxBurstCycles, burst_credit_ + cycles / 4);
        used_ += cycles;
        return std::max(t, free_at_);
    }

    const MultiprocessorWork& work_;
    const Gpu& gpu_;
    const double bandwidth_share_;
    double free_at_ = 0, burst_credit_ = 0, used_ = 0;
    double recent_cycles_ = 0, average_weight_ = 0, last_access_ = 0, recent_utilization_ = 0;
};

struct WarpState {
    const Program* program = nullptr;
    std::uint32_t block = 0, next_operation = 0;
    /// number of phases of bulk loads that the warp has waited for
    std::uint32_t bulk_phases_done = 0;
    double barrier_reached_at = 0;
    /// The time at which the warp began a sequence of stores without a wait between them, or a
    /// negative number if there is no such sequence.
    double stores_began_at = -1;
    double half = 0;           ///< the time at which half of the warp's operations were done
    std::vector<double> done;  ///< for each operation, the time at which its result is available
};

/// A memory range from which a block has requested data.
struct MemoryRange {
    double latency_draw = 0;  ///< a random number that selects a latency from the distribution
    double valid_until = 0;   ///< the time after which requests draw a new latency
    double last_arrival = 0;  ///< the time at which data last arrived in the L1 cache
};

struct BlockState {
    const BlockProgram* program = nullptr;
    std::uint32_t slot = 0;
    std::uint32_t live = 0;
    double start_time = 0;
    std::vector<std::uint32_t> warps_at_barrier, at_bulk_wait;
    std::vector<double> bulk_loads, bulk_stores;                   ///< times of arrival, in order
    std::unordered_map<std::uint32_t, MemoryRange> memory_ranges;  ///< by range index
    OpenLines::BlockLines lines;
};

/// An event on the timeline: its interval, and an amount such as a number of bytes.
struct TimedInterval {
    double begin = 0, end = 0, amount = 0;
};

class Simulation {
public:
    Simulation(const MultiprocessorWork& work, const Gpu& gpu)
        : work_(work),
          gpu_(gpu),
          blocks_to_run_(
              static_cast<int>(std::min(std::ceil(work.blocks), max_simulated_blocks()))),
          relative_average_demand_(relative_average_demand()),
          memory_(work, gpu, relative_average_demand_),
          cache_capacity_(work.first_level_bytes) {}

    SimulatedOutcome run() {
        const int places = std::min(work_.resident, blocks_to_run_);
        for (int k = 0; k < places; ++k) launch(0, static_cast<std::uint32_t>(k));
        while (!events_.empty()) {
            const WarpEvent next = events_.top();
            events_.pop();
            advance(next.warp, next.time);
        }
        return outcome();
    }

private:
    struct WarpEvent {
        double time = 0;
        std::uint32_t warp = 0;
        bool operator>(const WarpEvent& other) const {
            return time != other.time ? time > other.time : warp > other.warp;
        }
    };

    double relative_average_demand() const {
        if (work_.blocks > blocks_to_run_) return 1;
        const auto sectors = [&](std::size_t k) {
            const BlockProgram& b = work_.kinds[work_.kind_of[k % work_.kind_of.size()]];
            return b.sectors_read + b.sectors_written + b.sectors_partial;
        };
        double here = 0, all = 0;
        for (int k = 0; k < blocks_to_run_; ++k) here += sectors(static_cast<std::size_t>(k));
        for (std::size_t k = 0; k < work_.kind_of.size(); ++k) all += sectors(k);
        all *= work_.blocks / static_cast<double>(work_.kind_of.size());
        return here > all ? all / here : 1;
    }
    /// Returns the number of blocks to simulate: a few rounds of resident blocks. If there are
    /// several kinds of blocks, the sequence of kinds repeats with a fixed period. The number is
    /// then a multiple of this period, and leaves at least two periods between the first and the
    /// last rounds.
    double max_simulated_blocks() const {
        const double rounds = std::max(8.0 * work_.resident, 24.0);
        if (!work_.has_uneven_blocks) return rounds;
        const auto turn = static_cast<double>(work_.kind_of.size());
        return turn * std::ceil(std::max(rounds, 3.0 * work_.resident + 2 * turn) / turn);
    }

    void launch(double t, std::uint32_t slot) {
        if (launched_ >= blocks_to_run_) return;
        const std::uint32_t kind =
            work_.kind_of[static_cast<std::size_t>(launched_) % work_.kind_of.size()];
        ++launched_;
        const double start = std::max(t, next_launch_);
        next_launch_ = start + gpu_.block_interval_cycles;
        BlockState& block = blocks_.emplace_back();
        block.program = &work_.kinds[kind];
        block.lines = OpenLines::start_block(block.program->bytes_of_line);
        block.slot = slot;
        block.start_time = start;
        block.live = static_cast<std::uint32_t>(block.program->program_of_warp.size());
        for (std::uint32_t k = 0; k < block.live; ++k) {
            WarpState& warp = warps_.emplace_back();
            warp.program = &block.program->programs[block.program->program_of_warp[k]];
            warp.block = static_cast<std::uint32_t>(blocks_.size() - 1);
            warp.done.assign(warp.program->operations.size(), 0);
            const double ready = start + gpu_.block_start_cycles + gpu_.warp_start_cycles * k;
            life_.start += ready - t;
            wake(static_cast<std::uint32_t>(warps_.size() - 1), ready);
        }
    }

    void wake(std::uint32_t warp, double t) { events_.push({t, warp}); }

    /// Executes operations of a warp until the next event of another warp comes first.
    void advance(std::uint32_t w, double t) {
        for (;;) {
            double next = t;
            if (!execute_operation(w, t, next)) return;
            if (!events_.empty() && next > events_.top().time) return wake(w, next);
            t = next;
        }
    }

    bool execute_operation(std::uint32_t w, double t, double& next);
    bool wait_for_operands(WarpState& warp, const Operation& o, double t, double& next);
    double issue(std::uint32_t w, const Operation& o, double t);
    double arithmetic(int scheduler, const Operation& o, double t);
    void access_shared_memory(const Operation& o, double at, double& done, double& next);
    void load(BlockState& block, const Operation& o, double at, double& done, double& next);
    void store(WarpState& warp, const Operation& o, double at, double& next);
    double partial_store_cycles(WarpState& warp, const Operation& o, double t);
    void bulk_load(BlockState& block, const Operation& o, double at);
    bool wait_for_bulk(std::uint32_t w, double t);
    double bulk_store_drain_time(const BlockState& block, const Operation& o) const;
    void barrier(std::uint32_t w, double at);
    void release_barrier(BlockState& block);
    void exit(std::uint32_t w, double at);
    double load_arrival_time(BlockState& block, const Operation& o, double begin);
    double draw_lateness(BlockState& block, const Operation& o, double at);
    void record_flight(double from, double to, double bytes);
    double recording_extension_factor() const;
    SimulatedOutcome outcome();
    void draw_time_line(SimulatedOutcome& result) const;

    const MultiprocessorWork& work_;
    const Gpu& gpu_;
    const int blocks_to_run_;
    /// The average demand of all multiprocessors, relative to the demand of the simulated
    /// multiprocessor. If the blocks, or their kinds, cannot be divided evenly among the
    /// multiprocessors, some multiprocessors get one more block than others. The simulated
    /// multiprocessor is one of those, and also gets the share of memory that the others do not
    /// use.
    const double relative_average_demand_;
    MemoryShare memory_;
    CacheCapacity cache_capacity_;
    OpenLines open_lines_;
    LatencyRandom latency_random_, neighbours_;
    int launched_ = 0;
    std::priority_queue<WarpEvent, std::vector<WarpEvent>, std::greater<>> events_;
    std::vector<WarpState> warps_;
    std::vector<BlockState> blocks_;

    double scheduler_[kSchedulers] = {}, pipe_[kSchedulers][2] = {}, divider_[kSchedulers] = {};
    double special_[kSchedulers] = {}, fp64_[kSchedulers] = {};
    double lsu_ = 0, from_l2_ = 0, to_l2_ = 0, barrier_ = 0, next_launch_ = 0;
    double bulk_unit_ = 0;
    double to_l2_share_ = 0, to_l2_credit_ = 0;
    double issue_busy_ = 0, lsu_busy_ = 0, from_l2_busy_ = 0, to_l2_busy_ = 0, partial_busy_ = 0;
    double total_latency_ = 0, loads_ = 0, end_ = 0;
    WarpLife life_;
    double total_lifetime_ = 0, total_second_half_time_ = 0;  ///< sums over all warps
    std::vector<double> end_times_;
    std::vector<TimedInterval> flights_, stores_, barrier_waits_, load_waits_, block_lives_;
};

bool Simulation::wait_for_operands(WarpState& warp, const Operation& o, double t, double& next) {
    double need = t;
    const Operation* why = nullptr;
    for (const std::uint32_t a : o.after) {
        if (warp.done[a] <= need) continue;
        need = warp.done[a];
        why = &warp.program->operations[a];
    }
    if (!why) return false;
    const bool of_memory = why->kind == Kind::load || why->kind == Kind::async_copy;
    (of_memory                        ? life_.loads
     : why->kind == Kind::shared_load ? life_.shared
                                      : life_.issue) += need - t;
    if (of_memory) load_waits_.push_back({t, need, 1});
    next = need;
    return true;
}

/// Issues an operation, and returns the time of issue.
double Simulation::issue(std::uint32_t w, const Operation& o, double t) {
    const int s = static_cast<int>(w % kSchedulers);
    double at = std::max(t, scheduler_[s]);
    scheduler_[s] = at + o.slots;
    issue_busy_ += o.slots;
    if (o.kind == Kind::arithmetic && o.slots > 0) at = arithmetic(s, o, at);
    life_.issue += at - t;
    return at;
}

/// Returns the time at which the operation is issued to its pipe. Each scheduler has two pipes that
/// accept one warp every two cycles, and other pipes for rare instructions.
double Simulation::arithmetic(int s, const Operation& o, double at) {
    double(&pipe)[2] = pipe_[s];
    const double slots = o.slots;
    switch (o.pipe) {
        case Pipe::divide: {
            const double half = gpu_.divide_issue_cycles * slots / kDivisionSlots;
            at = std::max(at, divider_[s]);
            divider_[s] = at + slots;
            for (double& p : pipe) p = std::max(p, at) + half;
            return std::max(at, std::min(pipe[0], pipe[1]) - half);
        }
        case Pipe::both:
            at = std::max({at, pipe[0], pipe[1]});
            pipe[0] = pipe[1] = at + slots;
            return at;
        case Pipe::special:  // one slot for this unit; the other instructions can use any pipe
            at = std::max(at, special_[s]);
            special_[s] = at + gpu_.special_issue_cycles;
            for (double& p : pipe) p = std::max(p, at) + slots - 1;
            return at;
        case Pipe::fp64:
            at = std::max(at, fp64_[s]);
            fp64_[s] = at + slots * gpu_.double_issue_cycles;
            return at;
        default: {
            const int which = o.pipe == Pipe::integer ? 0
                              : o.pipe == Pipe::multiply || o.pipe == Pipe::wide
                                  ? 1
                                  : pipe[1] < pipe[0];
            at = std::max(at, pipe[which]);
            pipe[which] = at + slots * gpu_.multiply_issue_cycles * (o.pipe == Pipe::wide ? 2 : 1);
            return at;
        }
    }
}

/// Returns how much later than average a load's data arrives (a negative number if it arrives
/// earlier). All data of a memory range that the block requests within one latency arrives
/// together.
double Simulation::draw_lateness(BlockState& block, const Operation& o, double at) {
    double most = 0;
    for (const std::uint32_t number : o.memory_ranges) {
        MemoryRange& range = block.memory_ranges[number];
        if (at >= range.valid_until) {
            range.latency_draw = latency_random_.gamma();
            range.valid_until = at + memory_.latency();
        }
        most = std::max(most, range.latency_draw);
    }
    const double least = memory_.idle_latency();
    const double spread = std::min(memory_.latency() - gpu_.fastest_latency_fraction * least,
                                   gpu_.latency_spread_ns * gpu_.clock_ghz);
    return o.memory_ranges.empty() ? 0 : spread * (most - 1);
}

void Simulation::record_flight(double from, double to, double bytes) {
    flights_.push_back({from, to, bytes});
    total_latency_ += (to - from) * bytes;
    loads_ += bytes;
}

void Simulation::access_shared_memory(const Operation& o, double at, double& done, double& next) {
    lsu_ = std::max(at, lsu_) + o.passes;
    lsu_busy_ += o.passes;
    if (o.kind == Kind::shared_load) done = lsu_ + gpu_.shared_latency_cycles - 1;
    next = std::max(next, lsu_ - kLsuQueueCycles);
}

/// Returns the arrival time of the data that a load requests at `begin`. If a neighbouring block
/// has already requested the data, it is in the L2 cache, or will be there after a random
/// fraction of memory's latency.
double Simulation::load_arrival_time(BlockState& block, const Operation& o, double begin) {
    const double sent = std::max(lsu_, from_l2_);
    if (neighbours_.uniform() >= (o.from_memory >= 0 ? o.from_memory : work_.read_fraction))
        return sent + std::max(gpu_.l2_latency_ns * gpu_.clock_ghz,
                               neighbours_.uniform() * memory_.latency());
    const double read = memory_.read(begin, o.sectors);
    return std::max(read, sent + memory_.latency()) + draw_lateness(block, o, begin);
}

void Simulation::load(BlockState& block, const Operation& o, double at, double& done,
                      double& next) {
    const double begin = std::max(at, lsu_),
                 passes = o.passes * kCyclesPerLine + o.halves * kCyclesPerHalfLineFill;
    lsu_ = begin + passes;
    lsu_busy_ += passes;
    next = std::max(next, lsu_ - kLsuQueueCycles);
    done = lsu_ + gpu_.l1_latency_cycles;
    if (o.sectors == 0) {  // the block has already requested all of the data
        for (const std::uint32_t range : o.memory_ranges)
            done = std::max(done, block.memory_ranges[range].last_arrival);
        return;
    }
    const double bytes = o.sectors * kSectorBytes;
    // Asynchronous copies go to shared memory, and take no space in the L1 cache.
    const bool takes_room = o.kind == Kind::load;
    const double room = o.lines * double{kLineBytes};
    const double asked = takes_room ? cache_capacity_.wait(begin, room) : begin;
    next = std::max(next, asked - kLsuQueueCycles);
    // Data arrives as whole half lines, even if only part of a half line is requested.
    const double transfer = o.halves * (kLineBytes / 2) / gpu_.l2_read_bytes_per_cycle;
    from_l2_ = std::max(from_l2_, asked) + transfer;
    from_l2_busy_ += transfer;
    done = std::max(done, load_arrival_time(block, o, asked));
    if (takes_room) cache_capacity_.take(room, done);
    for (const std::uint32_t range : o.memory_ranges)
        block.memory_ranges[range].last_arrival =
            std::max(block.memory_ranges[range].last_arrival, done);
    record_flight(asked, done, bytes);
}

/// Returns the number of cycles for which the partial sectors of the request occupy the path to the
/// cache. The stores of a warp are sent together if the warp does not wait between them.
double Simulation::partial_store_cycles(WarpState& warp, const Operation& o, double t) {
    if (o.parts.empty()) return 0;
    if (warp.stores_began_at < 0) warp.stores_began_at = t;
    const double open = open_lines_.mean(t);
    for (const LinePart part : o.parts)
        open_lines_.write(blocks_[warp.block].lines, part, warp.stores_began_at);
    return o.partial_half_lines *
               partial_write_cycles(o.partial_half_lines, o.is_simultaneous, gpu_.partial) +
           o.unfinished * completion_cycles(work_.unfinished, open, gpu_);
}

void Simulation::store(WarpState& warp, const Operation& o, double at, double& next) {
    double begin = at;
    if (o.kind == Kind::store) {
        begin = std::max(at, lsu_);
        if (to_l2_ > begin) {  // the path is busy, so requests wait
            life_.stores += to_l2_ - begin;
            begin = to_l2_;
        }
        lsu_ = begin + o.passes;
        lsu_busy_ += o.passes;
        next = std::max(next, lsu_ - kLsuQueueCycles);
    }
    const double whole = kSectorBytes / gpu_.l2_write_bytes_per_cycle;
    const double partial = std::max(partial_store_cycles(warp, o, begin), o.partial * whole);
    const double cost = relative_average_demand_ * (o.sectors * whole + partial);
    // A single multiprocessor writes up to a whole sector per cycle. The limit for all
    // multiprocessors together is lower, but bursts are possible while other multiprocessors pause.
    to_l2_ = std::max(to_l2_, begin) + o.sectors + partial;
    to_l2_share_ = std::max(to_l2_share_, begin - to_l2_credit_) + cost;
    to_l2_credit_ = std::min(kMaxBurstCycles, to_l2_credit_ + cost / 4);
    to_l2_ = std::max(to_l2_, to_l2_share_);
    to_l2_busy_ += cost;
    partial_busy_ += partial;
    to_l2_ = std::max(to_l2_, memory_.write(begin, o.sectors + o.partial));
    stores_.push_back({begin, to_l2_, static_cast<double>(o.sectors + o.partial) * kSectorBytes});
    if (o.kind == Kind::bulk_store) blocks_[warp.block].bulk_stores.push_back(to_l2_ + 300);
}

/// Returns the number of cycles that the bulk copy unit needs for all rows of a load.
double bulk_row_cycles(const Operation& o, const BulkCopies& bulk) {
    if (o.rows == 0 || bulk.bytes.empty()) return 0;
    const std::vector<double>& cycles = o.is_box ? bulk.box_row : bulk.row;
    const double bytes = static_cast<double>(o.sectors) * kSectorBytes / o.rows;
    std::size_t k = 0;
    while (k + 1 < bulk.bytes.size() && bulk.bytes[k + 1] < bytes) ++k;
    if (k + 1 == bulk.bytes.size())
        return o.rows * cycles[k] * std::max(1.0, bytes / bulk.bytes[k]);
    const double part =
        std::max(0.0, (bytes - bulk.bytes[k]) / (bulk.bytes[k + 1] - bulk.bytes[k]));
    return o.rows * (cycles[k] + part * (cycles[k + 1] - cycles[k]));
}

void Simulation::bulk_load(BlockState& block, const Operation& o, double at) {
    // The unit processes one row after another. It requests the first row immediately, and the last
    // row at the end.
    const double begin = std::max(at, bulk_unit_);
    bulk_unit_ = begin + bulk_row_cycles(o, gpu_.bulk);
    const double transfer = o.sectors * kSectorBytes / gpu_.l2_read_bytes_per_cycle;
    from_l2_ = std::max(from_l2_, begin) + transfer;
    from_l2_busy_ += transfer;
    // Evaluate these expressions in separate declarations, in this order: both change the state of
    // memory, and a compiler may evaluate the arguments of a call in any order.
    const double sent = std::max(from_l2_, bulk_unit_) + memory_.latency(),
                 read = memory_.read(begin, o.sectors * work_.read_fraction);
    const double done = std::max(read, sent) + 250 + draw_lateness(block, o, at);
    block.bulk_loads.push_back(done);
    record_flight(at, done, o.sectors * kSectorBytes);
    for (const std::uint32_t w : block.at_bulk_wait) wake(w, at);
    block.at_bulk_wait.clear();
}

/// Waits for bulk loads. Returns false if some of them have not been requested or are still in
/// flight. In that case, the warp is woken later.
bool Simulation::wait_for_bulk(std::uint32_t w, double t) {
    WarpState& warp = warps_[w];
    BlockState& block = blocks_[warp.block];
    const std::size_t wanted = std::min<std::size_t>(
        block.program->bulk_loads,
        (warp.bulk_phases_done + 1) * std::size_t{warp.program->loads_per_wait});
    if (block.bulk_loads.size() < wanted) {
        block.at_bulk_wait.push_back(w);
        return false;
    }
    const double ready =
        wanted == 0
            ? 0
            : *std::max_element(block.bulk_loads.begin(),
                                block.bulk_loads.begin() + static_cast<std::ptrdiff_t>(wanted));
    if (ready > t) {
        life_.loads += ready - t;
        load_waits_.push_back({t, ready, 1});
        wake(w, ready);
        return false;
    }
    ++warp.bulk_phases_done;
    return true;
}

double Simulation::bulk_store_drain_time(const BlockState& block, const Operation& o) const {
    const auto count = static_cast<std::ptrdiff_t>(block.bulk_stores.size());
    // Assume two stores per group, as in the course's pipelines. If a group has more stores, the
    // simulated warp waits slightly too long.
    const std::ptrdiff_t wanted =
        std::min(count, std::max<std::ptrdiff_t>(0, count - 2 * o.groups_in_flight));
    return wanted == 0
               ? 0
               : *std::max_element(block.bulk_stores.begin(), block.bulk_stores.begin() + wanted);
}

void Simulation::barrier(std::uint32_t w, double at) {
    WarpState& warp = warps_[w];
    BlockState& block = blocks_[warp.block];
    barrier_ = std::max(barrier_, at) + gpu_.barrier_cycles_per_warp;
    ++warp.next_operation;
    warp.barrier_reached_at = at;
    block.warps_at_barrier.push_back(w);
    release_barrier(block);
}

/// Releases the warps at a barrier if all live warps of the block wait at it.
void Simulation::release_barrier(BlockState& block) {
    if (block.warps_at_barrier.empty() || block.warps_at_barrier.size() < block.live) return;
    const double go = barrier_ + gpu_.barrier;
    for (const std::uint32_t w : block.warps_at_barrier) {
        life_.barrier += go - warps_[w].barrier_reached_at;
        barrier_waits_.push_back({warps_[w].barrier_reached_at, go, 1});
        wake(w, go);
    }
    block.warps_at_barrier.clear();
}

void Simulation::exit(std::uint32_t w, double at) {
    WarpState& warp = warps_[w];
    BlockState& block = blocks_[warp.block];
    total_lifetime_ += at - block.start_time;
    total_second_half_time_ += at - warp.half;
    end_ = std::max(end_, at);
    warp.done = {};
    if (--block.live > 0) return release_barrier(block);
    open_lines_.close(block.lines, at);
    end_times_.push_back(at);
    block_lives_.push_back({block.start_time, at, static_cast<double>(block.slot)});
    block.memory_ranges.clear();
    launch(at, block.slot);
}

/// Executes one operation of a warp at `t` or later, and sets `next` to the time at which the warp
/// can continue. Returns false if the warp must wait or has exited.
bool Simulation::execute_operation(std::uint32_t w, double t, double& next) {
    WarpState& warp = warps_[w];
    const Operation& o = warp.program->operations[warp.next_operation];
    if (warp.half == 0 && warp.next_operation >= warp.program->operations.size() / 2) warp.half = t;
    if (wait_for_operands(warp, o, t, next)) return true;
    if (o.kind == Kind::bulk_wait && !wait_for_bulk(w, t)) return false;
    BlockState& block = blocks_[warp.block];
    if (o.kind == Kind::bulk_drain) t = std::max(t, bulk_store_drain_time(block, o));
    const double at = issue(w, o, t);
    if (o.kind != Kind::store && o.kind != Kind::arithmetic) warp.stores_began_at = -1;
    next = at + std::max(1.0, static_cast<double>(o.slots));
    double done = at + o.latency;
    switch (o.kind) {
        case Kind::shared_load:
        case Kind::shared_store: access_shared_memory(o, at, done, next); break;
        case Kind::load:
        case Kind::async_copy: load(block, o, at, done, next); break;
        case Kind::store:
        case Kind::bulk_store: store(warp, o, at, next); break;
        case Kind::bulk_load: bulk_load(block, o, at); break;
        case Kind::barrier: barrier(w, at); return false;
        case Kind::exit: exit(w, at); return false;
        default: break;
    }
    warp.done[warp.next_operation++] = done;
    return true;
}

/// Returns the ratio of the warps' total running time to the recorded time. If only the beginning
/// of a warp was recorded, assumes that each later instruction takes as long as one in the second
/// half of the recording.
double Simulation::recording_extension_factor() const {
    double instructions_per_recorded = 0, kinds = 0;
    for (const BlockProgram& kind : work_.kinds)
        for (const Program& p : kind.programs) {
            instructions_per_recorded += p.instructions_per_recorded;
            ++kinds;
        }
    instructions_per_recorded /= kinds;
    if (instructions_per_recorded <= 1 || total_lifetime_ <= 0) return 1;
    return 1 + total_second_half_time_ / total_lifetime_ * 2 * (instructions_per_recorded - 1);
}

SimulatedOutcome Simulation::outcome() {
    SimulatedOutcome r;
    const double run = blocks_to_run_;
    std::sort(end_times_.begin(), end_times_.end());
    r.cycles = end_;
    r.cycles_per_block = end_ / run;
    const auto from = static_cast<std::size_t>(std::min(2.0 * work_.resident, run / 3));
    auto to = static_cast<std::size_t>(std::max(run - work_.resident, 1.0));
    // If some blocks do more work than others, measure whole repetitions of the sequence of block
    // kinds.
    if (const std::size_t turn = work_.kind_of.size(); work_.has_uneven_blocks && to >= from + turn)
        to -= (to - from) % turn;
    if (to > from + 1 && to < end_times_.size())
        r.cycles_per_block = (end_times_[to] - end_times_[from]) / static_cast<double>(to - from);
    r.cycles_per_block = std::max(r.cycles_per_block, memory_.busy() / run);
    r.cycles = std::max(r.cycles, memory_.busy());
    if (work_.blocks > run) r.cycles += (work_.blocks - run) * r.cycles_per_block;
    const double longer = recording_extension_factor();
    r.cycles *= longer;
    r.cycles_per_block *= longer;
    // Memory counts as busy from the moment at which a load is requested. The time for which the
    // last loads wait has therefore already been counted, so subtract it here.
    const double charged = memory_.busy() * std::max(1.0, work_.blocks / run) * longer;
    if (loads_ > 0 && r.cycles > charged) r.cycles = std::max(r.cycles - memory_.queue(), charged);
    const double warps = static_cast<double>(warps_.size());
    for (double* part :
         {&life_.start, &life_.issue, &life_.loads, &life_.shared, &life_.barrier, &life_.stores})
        *part /= std::max(1.0, warps);
    r.life = life_;
    r.latency = loads_ > 0 ? total_latency_ / loads_ : 0;
    r.bytes_in_flight = total_latency_ / end_;
    r.busy = {.memory = std::min(1.0, memory_.busy() / end_),
              .l2_read = from_l2_busy_ / end_,
              .l2_write = to_l2_busy_ / end_,
              .shared = lsu_busy_ / end_,
              .issue = issue_busy_ / kSchedulers / end_};
    r.partial_stores_busy = partial_busy_ / end_;
    draw_time_line(r);
    return r;
}

/// Distributes an interval over the moments of the timeline that it overlaps. Calls `add` with
/// each of these moments and the fraction of it that the interval covers.
template <class Add>
void spread(const TimedInterval& s, double begin, double step, std::size_t moments, Add add) {
    const double end = begin + step * static_cast<double>(moments);
    const double from = std::max(s.begin, begin), to = std::min(s.end, end);
    if (from >= to) return;
    for (auto k = static_cast<std::size_t>((from - begin) / step); k < moments; ++k) {
        const double left = begin + step * static_cast<double>(k);
        const double part = (std::min(to, left + step) - std::max(from, left)) / step;
        if (part > 0) add(k, part);
        if (left >= to) break;
    }
}

void Simulation::draw_time_line(SimulatedOutcome& r) const {
    constexpr std::size_t moments = 240;
    // Show two and a half block lifetimes from the middle of the launch, or the whole launch if it
    // is shorter.
    const double life = block_lives_.empty() ? end_
                                             : block_lives_[block_lives_.size() / 2].end -
                                                   block_lives_[block_lives_.size() / 2].begin;
    const double length = std::min(end_, 2.5 * life), begin = (end_ - length) / 2;
    TimeLine& line = r.time_line;
    line.cycles_per_moment = length / moments;
    line.moments.assign(moments, {});
    const auto add = [&](const std::vector<TimedInterval>& stretches, double Moment::*to) {
        for (const TimedInterval& s : stretches)
            spread(s, begin, line.cycles_per_moment, moments,
                   [&](std::size_t k, double part) { line.moments[k].*to += part * s.amount; });
    };
    add(flights_, &Moment::bytes_in_flight);
    add(barrier_waits_, &Moment::warps_at_barrier);
    add(load_waits_, &Moment::warps_waiting_for_loads);
    for (const TimedInterval& s : stores_) {
        const double at = (s.begin - begin) / line.cycles_per_moment;
        if (at >= 0 && at < moments)
            line.moments[static_cast<std::size_t>(at)].bytes_stored += s.amount;
    }
    for (const TimedInterval& s : block_lives_)
        if (s.end > begin && s.begin < begin + length)
            line.blocks.push_back({.slot = static_cast<int>(s.amount),
                                   .begin = (s.begin - begin) / line.cycles_per_moment,
                                   .end = (s.end - begin) / line.cycles_per_moment});
    std::size_t empty = 0;
    for (const Moment& m : line.moments) empty += m.bytes_in_flight < 256;
    r.fraction_without_loads = static_cast<double>(empty) / moments;
}

}  // namespace

SimulatedOutcome simulate(const MultiprocessorWork& work, const Gpu& gpu) {
    return Simulation(work, gpu).run();
}

}  // namespace coalesce::timing
