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

using OperationKind = Operation::Kind;

constexpr int kSchedulersPerMultiprocessor = 4;
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
    double draw_gamma() { return round_to_float(-std::log(draw_uniform() * draw_uniform()) / 2); }
    /// Returns a number between 0 and 1.
    double draw_uniform() {
        random_state_ ^= random_state_ << 13;
        random_state_ ^= random_state_ >> 7;
        random_state_ ^= random_state_ << 17;
        return (static_cast<double>(random_state_ >> 11) + .5) / 9007199254740992.0;
    }

private:
    std::uint64_t random_state_ = 0x9e3779b97f4a7c15ull;
};

/// A multiprocessor's share of memory and of the L2 cache.
class MemoryShare {
public:
    /// `bandwidth_share` is the average demand of all multiprocessors for memory, divided by this
    /// multiprocessor's demand.
    MemoryShare(const MultiprocessorWork& work, const Gpu& gpu, double bandwidth_share)
        : work_(work), gpu_(gpu), bandwidth_share_(bandwidth_share) {}

    /// Returns the time at which data requested at `t` arrives, before the random variation of
    /// latencies is added.
    double request_read(double t, double sectors) {
        const double begin = enqueue_request(t, sectors * work_.read_cycles * bandwidth_share_);
        return begin + latency_cycles();  // `enqueue_request` has changed the latency
    }
    /// Returns the time at which the L2 cache has room for the sectors. The cache holds
    /// the data that memory cannot accept yet.
    double request_write(double t, double sectors) {
        return enqueue_request(t, sectors * work_.write_cycles * bandwidth_share_) -
               kWriteBufferCycles;
    }

    /// Returns the latency of a load that starts now.
    double latency_cycles() const {
        const double u = std::min(recent_utilization_, .97);
        return gpu_.clock_ghz * (gpu_.latency_ns + gpu_.queueing_ns * u / (1 - u) +
                                 gpu_.write_delay_ns * u * work_.write_fraction);
    }
    double idle_latency_cycles() const { return gpu_.clock_ghz * gpu_.latency_ns; }
    /// Returns the part of the latency that is due to queuing.
    double queueing_cycles() const { return latency_cycles() - idle_latency_cycles(); }
    double used_cycles() const { return used_cycles_; }

private:
    /// Adds a request to memory's queue, and returns the time at which memory starts to serve the
    /// request.
    double enqueue_request(double t, double cycles) {
        if (cycles <= 0) return t;
        const double decay_factor = round_to_float(std::exp(
            -(std::max(t, last_access_time_) - last_access_time_) / kUtilizationAveragingCycles));
        last_access_time_ = std::max(t, last_access_time_);
        weighted_recent_cycles_ = weighted_recent_cycles_ * decay_factor + cycles;
        averaging_weight_ =
            averaging_weight_ * decay_factor + (1 - decay_factor) * kUtilizationAveragingCycles;
        recent_utilization_ =
            std::min(1.0, weighted_recent_cycles_ /
                              std::max(averaging_weight_, kUtilizationAveragingCycles / 8));
        memory_free_at_ = std::max(memory_free_at_, t - burst_credit_cycles_) + cycles;
        burst_credit_cycles_ = std::min(kMaxBurstCycles, burst_credit_cycles_ + cycles / 4);
        used_cycles_ += cycles;
        return std::max(t, memory_free_at_);
    }

    const MultiprocessorWork& work_;
    const Gpu& gpu_;
    const double bandwidth_share_;
    double memory_free_at_ = 0, burst_credit_cycles_ = 0, used_cycles_ = 0;
    double weighted_recent_cycles_ = 0, averaging_weight_ = 0, last_access_time_ = 0,
           recent_utilization_ = 0;
};

struct WarpState {
    const Program* program = nullptr;
    std::uint32_t block = 0, next_operation = 0;
    /// The number of phases of bulk loads that the warp has waited for.
    std::uint32_t bulk_phases_done = 0;
    double barrier_reached_at = 0;
    /// The time at which the warp began a sequence of stores without a wait between them, or a
    /// negative number if there is no such sequence.
    double stores_began_at = -1;
    double second_half_time = 0;  ///< the time at which half of the warp's operations were done
    std::vector<double>
        completion_time;  ///< for each operation, the time at which its result is available
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
    std::uint32_t running_warps = 0;
    double start_time = 0;
    std::vector<std::uint32_t> warps_at_barrier, warps_at_bulk_wait;
    std::vector<double> bulk_load_times, bulk_store_times;         ///< times of arrival, in order
    std::unordered_map<std::uint32_t, MemoryRange> memory_ranges;  ///< by range index
    OpenLines::BlockLines open_lines;
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
          cache_capacity_(work.l1_bytes) {}

    SimulatedOutcome run_all_blocks() {
        const int initial_blocks = std::min(work_.resident_blocks, blocks_to_run_);
        for (int k = 0; k < initial_blocks; ++k) launch_block(0, static_cast<std::uint32_t>(k));
        while (!events_.empty()) {
            const WarpEvent next_event = events_.top();
            events_.pop();
            advance_warp(next_event.warp, next_event.time);
        }
        return make_outcome();
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
        const auto count_sectors = [&](std::size_t k) {
            const BlockProgram& b =
                work_.programs_by_kind[work_.kind_by_block[k % work_.kind_by_block.size()]];
            return b.sectors_read + b.sectors_written + b.partial_sectors;
        };
        double simulated_sectors = 0, all_sectors = 0;
        for (int k = 0; k < blocks_to_run_; ++k)
            simulated_sectors += count_sectors(static_cast<std::size_t>(k));
        for (std::size_t k = 0; k < work_.kind_by_block.size(); ++k)
            all_sectors += count_sectors(k);
        all_sectors *= work_.blocks / static_cast<double>(work_.kind_by_block.size());
        return simulated_sectors > all_sectors ? all_sectors / simulated_sectors : 1;
    }
    /// Returns the number of blocks to simulate: a few rounds of resident blocks. If there are
    /// several kinds of blocks, the sequence of kinds repeats with a fixed period. The number is
    /// then a multiple of this period, and leaves at least two periods between the first and the
    /// last rounds.
    double max_simulated_blocks() const {
        const double min_blocks = std::max(8.0 * work_.resident_blocks, 24.0);
        if (!work_.has_uneven_blocks) return min_blocks;
        const auto period = static_cast<double>(work_.kind_by_block.size());
        return period *
               std::ceil(std::max(min_blocks, 3.0 * work_.resident_blocks + 2 * period) / period);
    }

    void launch_block(double t, std::uint32_t slot) {
        if (launched_blocks_ >= blocks_to_run_) return;
        const std::uint32_t block_kind =
            work_.kind_by_block[static_cast<std::size_t>(launched_blocks_) %
                                work_.kind_by_block.size()];
        ++launched_blocks_;
        const double start_time = std::max(t, next_launch_time_);
        next_launch_time_ = start_time + gpu_.block_interval_cycles;
        BlockState& block = blocks_.emplace_back();
        block.program = &work_.programs_by_kind[block_kind];
        block.open_lines = OpenLines::start_block(block.program->bytes_per_line);
        block.slot = slot;
        block.start_time = start_time;
        block.running_warps = static_cast<std::uint32_t>(block.program->program_of_warp.size());
        for (std::uint32_t k = 0; k < block.running_warps; ++k) {
            WarpState& warp = warps_.emplace_back();
            warp.program = &block.program->programs[block.program->program_of_warp[k]];
            warp.block = static_cast<std::uint32_t>(blocks_.size() - 1);
            warp.completion_time.assign(warp.program->operations.size(), 0);
            const double ready_time =
                start_time + gpu_.block_start_cycles + gpu_.warp_start_cycles * k;
            warp_cycles_.start += ready_time - t;
            wake_warp(static_cast<std::uint32_t>(warps_.size() - 1), ready_time);
        }
    }

    void wake_warp(std::uint32_t warp, double t) { events_.push({t, warp}); }

    /// Executes operations of a warp until the next event of another warp comes first.
    void advance_warp(std::uint32_t w, double t) {
        for (;;) {
            double next_time = t;
            if (!execute_operation(w, t, next_time)) return;
            if (!events_.empty() && next_time > events_.top().time) return wake_warp(w, next_time);
            t = next_time;
        }
    }

    bool execute_operation(std::uint32_t w, double t, double& next_time);
    bool wait_for_operands(WarpState& warp, const Operation& operation, double t,
                           double& next_time);
    double issue_operation(std::uint32_t w, const Operation& operation, double t);
    double issue_arithmetic(int scheduler, const Operation& operation, double issue_time);
    void access_shared_memory(const Operation& operation, double issue_time,
                              double& completion_time, double& next_time);
    void execute_load(BlockState& block, const Operation& operation, double issue_time,
                      double& completion_time, double& next_time);
    void execute_store(WarpState& warp, const Operation& operation, double issue_time,
                       double& next_time);
    double partial_store_cycles(WarpState& warp, const Operation& operation, double t);
    void execute_bulk_load(BlockState& block, const Operation& operation, double issue_time);
    bool wait_for_bulk(std::uint32_t w, double t);
    double bulk_store_drain_time(const BlockState& block, const Operation& operation) const;
    void arrive_at_barrier(std::uint32_t w, double issue_time);
    void release_barrier(BlockState& block);
    void exit_warp(std::uint32_t w, double exit_time);
    double load_arrival_time(BlockState& block, const Operation& operation, double begin);
    double draw_extra_latency(BlockState& block, const Operation& operation, double request_time);
    void record_load(double request_time, double arrival_time, double bytes);
    double recording_extension_factor() const;
    SimulatedOutcome make_outcome();
    void build_time_line(SimulatedOutcome& result) const;

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
    LatencyRandom latency_random_, neighbour_random_;
    int launched_blocks_ = 0;
    std::priority_queue<WarpEvent, std::vector<WarpEvent>, std::greater<>> events_;
    std::vector<WarpState> warps_;
    std::vector<BlockState> blocks_;

    double scheduler_free_at_[kSchedulersPerMultiprocessor] = {},
           pipe_free_at_[kSchedulersPerMultiprocessor][2] = {},
           divider_free_at_[kSchedulersPerMultiprocessor] = {};
    double special_unit_free_at_[kSchedulersPerMultiprocessor] = {},
           fp64_unit_free_at_[kSchedulersPerMultiprocessor] = {};
    double lsu_free_at_ = 0, l2_read_free_at_ = 0, l2_write_free_at_ = 0, barrier_free_at_ = 0,
           next_launch_time_ = 0;
    double bulk_unit_free_at_ = 0;
    double l2_write_share_free_at_ = 0, l2_write_burst_credit_ = 0;
    double issue_busy_cycles_ = 0, lsu_busy_cycles_ = 0, l2_read_busy_cycles_ = 0,
           l2_write_busy_cycles_ = 0, partial_store_busy_cycles_ = 0;
    double bytes_times_latency_ = 0, loaded_bytes_ = 0, last_exit_time_ = 0;
    WarpLife warp_cycles_;
    double total_lifetime_ = 0, total_second_half_time_ = 0;  ///< sums over all warps
    std::vector<double> block_end_times_;
    std::vector<TimedInterval> loads_in_flight_, store_intervals_, barrier_waits_, load_waits_,
        block_lives_;
};

bool Simulation::wait_for_operands(WarpState& warp, const Operation& operation, double t,
                                   double& next_time) {
    double ready_time = t;
    const Operation* last_operand = nullptr;
    for (const std::uint32_t a : operation.dependences) {
        if (warp.completion_time[a] <= ready_time) continue;
        ready_time = warp.completion_time[a];
        last_operand = &warp.program->operations[a];
    }
    if (!last_operand) return false;
    const bool is_memory_access = last_operand->kind == OperationKind::load ||
                                  last_operand->kind == OperationKind::async_copy;
    (is_memory_access                                   ? warp_cycles_.loads
     : last_operand->kind == OperationKind::shared_load ? warp_cycles_.shared
                                                        : warp_cycles_.issue) += ready_time - t;
    if (is_memory_access) load_waits_.push_back({t, ready_time, 1});
    next_time = ready_time;
    return true;
}

/// Issues an operation, and returns the time of issue.
double Simulation::issue_operation(std::uint32_t w, const Operation& operation, double t) {
    const int s = static_cast<int>(w % kSchedulersPerMultiprocessor);
    double issue_time = std::max(t, scheduler_free_at_[s]);
    scheduler_free_at_[s] = issue_time + operation.issue_slots;
    issue_busy_cycles_ += operation.issue_slots;
    if (operation.kind == OperationKind::arithmetic && operation.issue_slots > 0)
        issue_time = issue_arithmetic(s, operation, issue_time);
    warp_cycles_.issue += issue_time - t;
    return issue_time;
}

/// Returns the time at which the operation is issued to its pipe. Each scheduler has two pipes that
/// accept one warp every two cycles, and other pipes for rare instructions.
double Simulation::issue_arithmetic(int s, const Operation& operation, double issue_time) {
    double(&pipe_free_at)[2] = pipe_free_at_[s];
    const double issue_slots = operation.issue_slots;
    switch (operation.pipe) {
        case Pipe::divide: {
            const double half_division_cycles =
                gpu_.divide_issue_cycles * issue_slots / kDivisionIssueSlots;
            issue_time = std::max(issue_time, divider_free_at_[s]);
            divider_free_at_[s] = issue_time + issue_slots;
            for (double& p : pipe_free_at) p = std::max(p, issue_time) + half_division_cycles;
            return std::max(issue_time,
                            std::min(pipe_free_at[0], pipe_free_at[1]) - half_division_cycles);
        }
        case Pipe::both:
            issue_time = std::max({issue_time, pipe_free_at[0], pipe_free_at[1]});
            pipe_free_at[0] = pipe_free_at[1] = issue_time + issue_slots;
            return issue_time;
        case Pipe::special:  // one slot for this unit; the other instructions can use any pipe
            issue_time = std::max(issue_time, special_unit_free_at_[s]);
            special_unit_free_at_[s] = issue_time + gpu_.special_issue_cycles;
            for (double& p : pipe_free_at) p = std::max(p, issue_time) + issue_slots - 1;
            return issue_time;
        case Pipe::fp64:
            issue_time = std::max(issue_time, fp64_unit_free_at_[s]);
            fp64_unit_free_at_[s] = issue_time + issue_slots * gpu_.double_issue_cycles;
            return issue_time;
        default: {
            const int pipe_index =
                operation.pipe == Pipe::integer ? 0
                : operation.pipe == Pipe::multiply || operation.pipe == Pipe::wide
                    ? 1
                    : pipe_free_at[1] < pipe_free_at[0];
            issue_time = std::max(issue_time, pipe_free_at[pipe_index]);
            pipe_free_at[pipe_index] = issue_time + issue_slots * gpu_.multiply_issue_cycles *
                                                        (operation.pipe == Pipe::wide ? 2 : 1);
            return issue_time;
        }
    }
}

/// Returns how much later than average a load's data arrives (a negative number if it arrives
/// earlier). All data of a memory range that the block requests within one latency arrives
/// together.
double Simulation::draw_extra_latency(BlockState& block, const Operation& operation,
                                      double request_time) {
    double latest_draw = 0;
    for (const std::uint32_t range_number : operation.memory_ranges) {
        MemoryRange& range = block.memory_ranges[range_number];
        if (request_time >= range.valid_until) {
            range.latency_draw = latency_random_.draw_gamma();
            range.valid_until = request_time + memory_.latency_cycles();
        }
        latest_draw = std::max(latest_draw, range.latency_draw);
    }
    const double idle_cycles = memory_.idle_latency_cycles();
    const double latency_spread =
        std::min(memory_.latency_cycles() - gpu_.fastest_latency_fraction * idle_cycles,
                 gpu_.latency_spread_ns * gpu_.clock_ghz);
    return operation.memory_ranges.empty() ? 0 : latency_spread * (latest_draw - 1);
}

void Simulation::record_load(double request_time, double arrival_time, double bytes) {
    loads_in_flight_.push_back({request_time, arrival_time, bytes});
    bytes_times_latency_ += (arrival_time - request_time) * bytes;
    loaded_bytes_ += bytes;
}

void Simulation::access_shared_memory(const Operation& operation, double issue_time,
                                      double& completion_time, double& next_time) {
    lsu_free_at_ = std::max(issue_time, lsu_free_at_) + operation.passes;
    lsu_busy_cycles_ += operation.passes;
    if (operation.kind == OperationKind::shared_load)
        completion_time = lsu_free_at_ + gpu_.shared_latency_cycles - 1;
    next_time = std::max(next_time, lsu_free_at_ - kLsuQueueCycles);
}

/// Returns the arrival time of the data that a load requests at `begin`. If a neighbouring block
/// has already requested the data, it is in the L2 cache, or will be there after a random
/// fraction of memory's latency.
double Simulation::load_arrival_time(BlockState& block, const Operation& operation,
                                     double request_time) {
    const double transfer_end = std::max(lsu_free_at_, l2_read_free_at_);
    if (neighbour_random_.draw_uniform() >=
        (operation.memory_fraction >= 0 ? operation.memory_fraction : work_.read_fraction))
        return transfer_end + std::max(gpu_.l2_latency_ns * gpu_.clock_ghz,
                                       neighbour_random_.draw_uniform() * memory_.latency_cycles());
    const double read_time = memory_.request_read(request_time, operation.sectors);
    return std::max(read_time, transfer_end + memory_.latency_cycles()) +
           draw_extra_latency(block, operation, request_time);
}

void Simulation::execute_load(BlockState& block, const Operation& operation, double issue_time,
                              double& completion_time, double& next_time) {
    const double begin = std::max(issue_time, lsu_free_at_),
                 pass_cycles = operation.passes * kCyclesPerLine +
                               operation.half_lines * kCyclesPerHalfLineFill;
    lsu_free_at_ = begin + pass_cycles;
    lsu_busy_cycles_ += pass_cycles;
    next_time = std::max(next_time, lsu_free_at_ - kLsuQueueCycles);
    completion_time = lsu_free_at_ + gpu_.l1_latency_cycles;
    if (operation.sectors == 0) {  // the block has already requested all of the data
        for (const std::uint32_t range : operation.memory_ranges)
            completion_time = std::max(completion_time, block.memory_ranges[range].last_arrival);
        return;
    }
    const double bytes = operation.sectors * kSectorBytes;
    // Asynchronous copies go to shared memory, and take no space in the L1 cache.
    const bool occupies_cache = operation.kind == OperationKind::load;
    const double cache_bytes = operation.lines * double{kLineBytes};
    const double request_time =
        occupies_cache ? cache_capacity_.earliest_request_time(begin, cache_bytes) : begin;
    next_time = std::max(next_time, request_time - kLsuQueueCycles);
    // Data arrives as whole half lines, even if only part of a half line is requested.
    const double transfer_cycles =
        operation.half_lines * (kLineBytes / 2) / gpu_.l2_read_bytes_per_cycle;
    l2_read_free_at_ = std::max(l2_read_free_at_, request_time) + transfer_cycles;
    l2_read_busy_cycles_ += transfer_cycles;
    completion_time = std::max(completion_time, load_arrival_time(block, operation, request_time));
    if (occupies_cache) cache_capacity_.occupy(cache_bytes, completion_time);
    for (const std::uint32_t range : operation.memory_ranges)
        block.memory_ranges[range].last_arrival =
            std::max(block.memory_ranges[range].last_arrival, completion_time);
    record_load(request_time, completion_time, bytes);
}

/// Returns the number of cycles for which the partial sectors of the request occupy the path to the
/// cache. The stores of a warp are sent together if the warp does not wait between them.
double Simulation::partial_store_cycles(WarpState& warp, const Operation& operation, double t) {
    if (operation.written_parts.empty()) return 0;
    if (warp.stores_began_at < 0) warp.stores_began_at = t;
    const double open_line_count = open_lines_.mean_open_lines(t);
    for (const LinePart part : operation.written_parts)
        open_lines_.write_part(blocks_[warp.block].open_lines, part, warp.stores_began_at);
    return operation.partial_half_lines * partial_write_cycles(operation.partial_half_lines,
                                                               operation.is_simultaneous,
                                                               gpu_.partial_sectors) +
           operation.unfinished_sectors *
               completion_cycles(work_.unfinished_sectors, open_line_count, gpu_);
}

void Simulation::execute_store(WarpState& warp, const Operation& operation, double issue_time,
                               double& next_time) {
    double begin = issue_time;
    if (operation.kind == OperationKind::store) {
        begin = std::max(issue_time, lsu_free_at_);
        if (l2_write_free_at_ > begin) {  // the path is busy, so requests wait
            warp_cycles_.stores += l2_write_free_at_ - begin;
            begin = l2_write_free_at_;
        }
        lsu_free_at_ = begin + operation.passes;
        lsu_busy_cycles_ += operation.passes;
        next_time = std::max(next_time, lsu_free_at_ - kLsuQueueCycles);
    }
    const double sector_cycles = kSectorBytes / gpu_.l2_write_bytes_per_cycle;
    const double partial_cycles = std::max(partial_store_cycles(warp, operation, begin),
                                           operation.partial_sectors * sector_cycles);
    const double path_cycles =
        relative_average_demand_ * (operation.sectors * sector_cycles + partial_cycles);
    // A single multiprocessor writes up to a whole sector per cycle. The limit for all
    // multiprocessors together is lower, but bursts are possible while other multiprocessors pause.
    l2_write_free_at_ = std::max(l2_write_free_at_, begin) + operation.sectors + partial_cycles;
    l2_write_share_free_at_ =
        std::max(l2_write_share_free_at_, begin - l2_write_burst_credit_) + path_cycles;
    l2_write_burst_credit_ = std::min(kMaxBurstCycles, l2_write_burst_credit_ + path_cycles / 4);
    l2_write_free_at_ = std::max(l2_write_free_at_, l2_write_share_free_at_);
    l2_write_busy_cycles_ += path_cycles;
    partial_store_busy_cycles_ += partial_cycles;
    l2_write_free_at_ =
        std::max(l2_write_free_at_,
                 memory_.request_write(begin, operation.sectors + operation.partial_sectors));
    store_intervals_.push_back(
        {begin, l2_write_free_at_,
         static_cast<double>(operation.sectors + operation.partial_sectors) * kSectorBytes});
    if (operation.kind == OperationKind::bulk_store)
        blocks_[warp.block].bulk_store_times.push_back(l2_write_free_at_ + 300);
}

/// Returns the number of cycles that the bulk copy unit needs for all rows of a load.
double bulk_row_cycles(const Operation& operation, const BulkCopyCosts& bulk_costs) {
    if (operation.rows == 0 || bulk_costs.bytes.empty()) return 0;
    const std::vector<double>& cycles =
        operation.is_box ? bulk_costs.box_row_cycles : bulk_costs.row_cycles;
    const double bytes = static_cast<double>(operation.sectors) * kSectorBytes / operation.rows;
    std::size_t k = 0;
    while (k + 1 < bulk_costs.bytes.size() && bulk_costs.bytes[k + 1] < bytes) ++k;
    if (k + 1 == bulk_costs.bytes.size())
        return operation.rows * cycles[k] * std::max(1.0, bytes / bulk_costs.bytes[k]);
    const double fraction = std::max(
        0.0, (bytes - bulk_costs.bytes[k]) / (bulk_costs.bytes[k + 1] - bulk_costs.bytes[k]));
    return operation.rows * (cycles[k] + fraction * (cycles[k + 1] - cycles[k]));
}

void Simulation::execute_bulk_load(BlockState& block, const Operation& operation,
                                   double issue_time) {
    // The unit processes one row after another. It requests the first row immediately, and the last
    // row at the end.
    const double begin = std::max(issue_time, bulk_unit_free_at_);
    bulk_unit_free_at_ = begin + bulk_row_cycles(operation, gpu_.bulk_copies);
    const double transfer_cycles = operation.sectors * kSectorBytes / gpu_.l2_read_bytes_per_cycle;
    l2_read_free_at_ = std::max(l2_read_free_at_, begin) + transfer_cycles;
    l2_read_busy_cycles_ += transfer_cycles;
    // Evaluate these expressions in separate declarations, in this order: both change the state of
    // memory, and a compiler may evaluate the arguments of a call in any order.
    const double transfer_end =
                     std::max(l2_read_free_at_, bulk_unit_free_at_) + memory_.latency_cycles(),
                 read_time = memory_.request_read(begin, operation.sectors * work_.read_fraction);
    const double completion_time =
        std::max(read_time, transfer_end) + 250 + draw_extra_latency(block, operation, issue_time);
    block.bulk_load_times.push_back(completion_time);
    record_load(issue_time, completion_time, operation.sectors * kSectorBytes);
    for (const std::uint32_t w : block.warps_at_bulk_wait) wake_warp(w, issue_time);
    block.warps_at_bulk_wait.clear();
}

/// Waits for bulk loads. Returns false if some of them have not been requested or are still in
/// flight. In that case, the warp is woken later.
bool Simulation::wait_for_bulk(std::uint32_t w, double t) {
    WarpState& warp = warps_[w];
    BlockState& block = blocks_[warp.block];
    const std::size_t needed_loads = std::min<std::size_t>(
        block.program->bulk_loads,
        (warp.bulk_phases_done + 1) * std::size_t{warp.program->loads_per_wait});
    if (block.bulk_load_times.size() < needed_loads) {
        block.warps_at_bulk_wait.push_back(w);
        return false;
    }
    const double ready_time =
        needed_loads == 0 ? 0
                          : *std::max_element(block.bulk_load_times.begin(),
                                              block.bulk_load_times.begin() +
                                                  static_cast<std::ptrdiff_t>(needed_loads));
    if (ready_time > t) {
        warp_cycles_.loads += ready_time - t;
        load_waits_.push_back({t, ready_time, 1});
        wake_warp(w, ready_time);
        return false;
    }
    ++warp.bulk_phases_done;
    return true;
}

double Simulation::bulk_store_drain_time(const BlockState& block,
                                         const Operation& operation) const {
    const auto store_count = static_cast<std::ptrdiff_t>(block.bulk_store_times.size());
    // Assume two stores per group, as in the course's pipelines. If a group has more stores, the
    // simulated warp waits slightly too long.
    const std::ptrdiff_t finished_stores = std::min(
        store_count, std::max<std::ptrdiff_t>(0, store_count - 2 * operation.groups_in_flight));
    return finished_stores == 0
               ? 0
               : *std::max_element(block.bulk_store_times.begin(),
                                   block.bulk_store_times.begin() + finished_stores);
}

void Simulation::arrive_at_barrier(std::uint32_t w, double issue_time) {
    WarpState& warp = warps_[w];
    BlockState& block = blocks_[warp.block];
    barrier_free_at_ = std::max(barrier_free_at_, issue_time) + gpu_.barrier_cycles_per_warp;
    ++warp.next_operation;
    warp.barrier_reached_at = issue_time;
    block.warps_at_barrier.push_back(w);
    release_barrier(block);
}

/// Releases the warps at a barrier if all live warps of the block wait at it.
void Simulation::release_barrier(BlockState& block) {
    if (block.warps_at_barrier.empty() || block.warps_at_barrier.size() < block.running_warps)
        return;
    const double release_time = barrier_free_at_ + gpu_.barrier_cycles;
    for (const std::uint32_t w : block.warps_at_barrier) {
        warp_cycles_.barrier += release_time - warps_[w].barrier_reached_at;
        barrier_waits_.push_back({warps_[w].barrier_reached_at, release_time, 1});
        wake_warp(w, release_time);
    }
    block.warps_at_barrier.clear();
}

void Simulation::exit_warp(std::uint32_t w, double exit_time) {
    WarpState& warp = warps_[w];
    BlockState& block = blocks_[warp.block];
    total_lifetime_ += exit_time - block.start_time;
    total_second_half_time_ += exit_time - warp.second_half_time;
    last_exit_time_ = std::max(last_exit_time_, exit_time);
    warp.completion_time = {};
    if (--block.running_warps > 0) return release_barrier(block);
    open_lines_.close_lines(block.open_lines, exit_time);
    block_end_times_.push_back(exit_time);
    block_lives_.push_back({block.start_time, exit_time, static_cast<double>(block.slot)});
    block.memory_ranges.clear();
    launch_block(exit_time, block.slot);
}

/// Executes one operation of a warp at `t` or later, and sets `next_time` to the time at which the
/// warp can continue. Returns false if the warp must wait or has exited.
bool Simulation::execute_operation(std::uint32_t w, double t, double& next_time) {
    WarpState& warp = warps_[w];
    const Operation& operation = warp.program->operations[warp.next_operation];
    if (warp.second_half_time == 0 && warp.next_operation >= warp.program->operations.size() / 2)
        warp.second_half_time = t;
    if (wait_for_operands(warp, operation, t, next_time)) return true;
    if (operation.kind == OperationKind::bulk_wait && !wait_for_bulk(w, t)) return false;
    BlockState& block = blocks_[warp.block];
    if (operation.kind == OperationKind::bulk_drain)
        t = std::max(t, bulk_store_drain_time(block, operation));
    const double issue_time = issue_operation(w, operation, t);
    if (operation.kind != OperationKind::store && operation.kind != OperationKind::arithmetic)
        warp.stores_began_at = -1;
    next_time = issue_time + std::max(1.0, static_cast<double>(operation.issue_slots));
    double completion_time = issue_time + operation.latency_cycles;
    switch (operation.kind) {
        case OperationKind::shared_load:
        case OperationKind::shared_store:
            access_shared_memory(operation, issue_time, completion_time, next_time);
            break;
        case OperationKind::load:
        case OperationKind::async_copy:
            execute_load(block, operation, issue_time, completion_time, next_time);
            break;
        case OperationKind::store:
        case OperationKind::bulk_store:
            execute_store(warp, operation, issue_time, next_time);
            break;
        case OperationKind::bulk_load: execute_bulk_load(block, operation, issue_time); break;
        case OperationKind::barrier: arrive_at_barrier(w, issue_time); return false;
        case OperationKind::exit: exit_warp(w, issue_time); return false;
        default: break;
    }
    warp.completion_time[warp.next_operation++] = completion_time;
    return true;
}

/// Returns the ratio of the warps' total running time to the recorded time. If only the beginning
/// of a warp was recorded, assumes that each later instruction takes as long as one in the second
/// half of the recording.
double Simulation::recording_extension_factor() const {
    double instructions_per_recorded = 0, program_count = 0;
    for (const BlockProgram& kind : work_.programs_by_kind)
        for (const Program& p : kind.programs) {
            instructions_per_recorded += p.instructions_per_recorded;
            ++program_count;
        }
    instructions_per_recorded /= program_count;
    if (instructions_per_recorded <= 1 || total_lifetime_ <= 0) return 1;
    return 1 + total_second_half_time_ / total_lifetime_ * 2 * (instructions_per_recorded - 1);
}

SimulatedOutcome Simulation::make_outcome() {
    SimulatedOutcome r;
    const double simulated_blocks = blocks_to_run_;
    std::sort(block_end_times_.begin(), block_end_times_.end());
    r.cycles = last_exit_time_;
    r.cycles_per_block = last_exit_time_ / simulated_blocks;
    const auto first_block =
        static_cast<std::size_t>(std::min(2.0 * work_.resident_blocks, simulated_blocks / 3));
    auto last_block =
        static_cast<std::size_t>(std::max(simulated_blocks - work_.resident_blocks, 1.0));
    // If some blocks do more work than others, measure whole repetitions of the sequence of block
    // kinds.
    if (const std::size_t period = work_.kind_by_block.size();
        work_.has_uneven_blocks && last_block >= first_block + period)
        last_block -= (last_block - first_block) % period;
    if (last_block > first_block + 1 && last_block < block_end_times_.size())
        r.cycles_per_block = (block_end_times_[last_block] - block_end_times_[first_block]) /
                             static_cast<double>(last_block - first_block);
    r.cycles_per_block = std::max(r.cycles_per_block, memory_.used_cycles() / simulated_blocks);
    r.cycles = std::max(r.cycles, memory_.used_cycles());
    if (work_.blocks > simulated_blocks)
        r.cycles += (work_.blocks - simulated_blocks) * r.cycles_per_block;
    const double extension_factor = recording_extension_factor();
    r.cycles *= extension_factor;
    r.cycles_per_block *= extension_factor;
    // Memory counts as busy from the moment at which a load is requested. The time for which the
    // last loads wait has therefore already been counted, so subtract it here.
    const double min_cycles =
        memory_.used_cycles() * std::max(1.0, work_.blocks / simulated_blocks) * extension_factor;
    if (loaded_bytes_ > 0 && r.cycles > min_cycles)
        r.cycles = std::max(r.cycles - memory_.queueing_cycles(), min_cycles);
    const double warp_count = static_cast<double>(warps_.size());
    for (double* average : {&warp_cycles_.start, &warp_cycles_.issue, &warp_cycles_.loads,
                            &warp_cycles_.shared, &warp_cycles_.barrier, &warp_cycles_.stores})
        *average /= std::max(1.0, warp_count);
    r.warp_life = warp_cycles_;
    r.latency_cycles = loaded_bytes_ > 0 ? bytes_times_latency_ / loaded_bytes_ : 0;
    r.bytes_in_flight = bytes_times_latency_ / last_exit_time_;
    r.utilization = {.memory = std::min(1.0, memory_.used_cycles() / last_exit_time_),
                     .l2_read = l2_read_busy_cycles_ / last_exit_time_,
                     .l2_write = l2_write_busy_cycles_ / last_exit_time_,
                     .shared = lsu_busy_cycles_ / last_exit_time_,
                     .issue = issue_busy_cycles_ / kSchedulersPerMultiprocessor / last_exit_time_};
    r.partial_store_utilization = partial_store_busy_cycles_ / last_exit_time_;
    build_time_line(r);
    return r;
}

/// Distributes an interval over the moments of the timeline that it overlaps. Calls `add_to_moment`
/// with each of these moments and the fraction of it that the interval covers.
template <class AddToMoment>
void distribute_over_moments(const TimedInterval& s, double begin, double moment_cycles,
                             std::size_t moment_count, AddToMoment add_to_moment) {
    const double end = begin + moment_cycles * static_cast<double>(moment_count);
    const double overlap_begin = std::max(s.begin, begin), overlap_end = std::min(s.end, end);
    if (overlap_begin >= overlap_end) return;
    for (auto k = static_cast<std::size_t>((overlap_begin - begin) / moment_cycles);
         k < moment_count; ++k) {
        const double moment_begin = begin + moment_cycles * static_cast<double>(k);
        const double fraction = (std::min(overlap_end, moment_begin + moment_cycles) -
                                 std::max(overlap_begin, moment_begin)) /
                                moment_cycles;
        if (fraction > 0) add_to_moment(k, fraction);
        if (moment_begin >= overlap_end) break;
    }
}

void Simulation::build_time_line(SimulatedOutcome& r) const {
    constexpr std::size_t moment_count = 240;
    // Show two and a half block lifetimes from the middle of the launch, or the whole launch if it
    // is shorter.
    const double block_lifetime = block_lives_.empty()
                                      ? last_exit_time_
                                      : block_lives_[block_lives_.size() / 2].end -
                                            block_lives_[block_lives_.size() / 2].begin;
    const double shown_cycles = std::min(last_exit_time_, 2.5 * block_lifetime),
                 begin = (last_exit_time_ - shown_cycles) / 2;
    TimeLine& time_line = r.time_line;
    time_line.cycles_per_moment = shown_cycles / moment_count;
    time_line.moments.assign(moment_count, {});
    const auto add_intervals = [&](const std::vector<TimedInterval>& intervals,
                                   double Moment::*moment_member) {
        for (const TimedInterval& s : intervals)
            distribute_over_moments(s, begin, time_line.cycles_per_moment, moment_count,
                                    [&](std::size_t k, double fraction) {
                                        time_line.moments[k].*moment_member += fraction * s.amount;
                                    });
    };
    add_intervals(loads_in_flight_, &Moment::bytes_in_flight);
    add_intervals(barrier_waits_, &Moment::warps_at_barrier);
    add_intervals(load_waits_, &Moment::warps_waiting_for_loads);
    for (const TimedInterval& s : store_intervals_) {
        const double moment_index = (s.begin - begin) / time_line.cycles_per_moment;
        if (moment_index >= 0 && moment_index < moment_count)
            time_line.moments[static_cast<std::size_t>(moment_index)].bytes_stored += s.amount;
    }
    for (const TimedInterval& s : block_lives_)
        if (s.end > begin && s.begin < begin + shown_cycles)
            time_line.blocks.push_back({.slot = static_cast<int>(s.amount),
                                        .begin = (s.begin - begin) / time_line.cycles_per_moment,
                                        .end = (s.end - begin) / time_line.cycles_per_moment});
    std::size_t empty_moments = 0;
    for (const Moment& m : time_line.moments) empty_moments += m.bytes_in_flight < 256;
    r.fraction_without_loads = static_cast<double>(empty_moments) / moment_count;
}

}  // namespace

SimulatedOutcome simulate(const MultiprocessorWork& work, const Gpu& gpu) {
    return Simulation(work, gpu).run_all_blocks();
}

}  // namespace coalesce::timing
