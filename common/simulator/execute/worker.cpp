#include "simulator/execute/worker.h"

#include "simulator/base/device_model.h"
#include "simulator/execute/trace.h"

#include <cstdlib>
#include <numeric>
#include <utility>

#include "simulator/checks/access_report.h"
#include "simulator/execute/async_copy.h"
#include "simulator/execute/barriers.h"
#include "simulator/execute/cluster.h"
#include "simulator/execute/shared_checks.h"
#include "simulator/execute/special_registers.h"
#include "simulator/report/progress.h"

namespace coalesce::simulator {
namespace {

/// The byte with which shared memory is initially filled. Its value is unlikely to be mistaken for
/// a result.
constexpr int kSharedPoison = 0xcd;

void fill_constants(const std::vector<Kernel::Code::Constant>& constants, const Warp& w) {
    for (const Kernel::Code::Constant& c : constants) {
        if (c.byte_width == 8) std::fill_n(w.lanes<u64>(c.slot), kLanes, c.bits);
        if (c.byte_width == 4) std::fill_n(w.lanes<u32>(c.slot), kLanes, static_cast<u32>(c.bits));
        if (c.byte_width == 0) w.predicate(c.slot) = static_cast<Mask>(c.bits);
    }
}

/// Runs the Ops of a prologue for all 32 lanes. A prologue has no branches.
void run_prologue(const std::vector<SpecialSlot>& specials, const std::vector<Op>& ops, Warp& w) {
    w.active = kAllLanes;
    for (const SpecialSlot& s : specials) read_special_register(w, *s.special_register, s.slot);
    for (const Op& op : ops) op.run(w, &op);
}

}  // namespace

u8* AlignedBytes::allocate(u64 bytes) {
    bytes = round_up(bytes + 64, 64);
    if (bytes > size_) {
        size_ = 0;
        memory_.reset(static_cast<u8*>(std::aligned_alloc(64, bytes)));
        if (!memory_) throw std::bad_alloc();
        size_ = bytes;
    }
    return memory_.get();
}

void Worker::begin_launch(Launch& launch, RaceLog& shared_log, u64 order_seed, u64 max_resident) {
    launch_ = &launch;
    shared_log_ = &shared_log;
    order_seed_ = order_seed;
    max_resident_blocks_ = max_resident;
    block_count_ =
        launch.only_blocks.empty() ? launch.config.grid.count() : launch.only_blocks.size();
    prepared_residents_ = 0;
    waiting_blocks_.clear();
    watch_.begin_launch(launch);
    for (auto& r : residents_) r->is_busy = false;
    prepare_clusters();
    const std::size_t sites = launch.kernel->sites.size();
    totals = {};
    totals.code = launch.code;
    totals.sites.resize(sites);
    totals.straight_line_counts.resize(launch.code->straight_line_runs.size());
    site_caches_.assign(sites, {});
}

// ---- preparing a block ----

/// Prepares everything that is the same for all blocks of the launch: memory, constants, and the
/// indices of the warps.
void Worker::prepare_block(Resident& block) {
    const Kernel::Code& code = *launch_->code;
    const u32 threads = static_cast<u32>(launch_->config.block.count());
    const u32 warps = (threads + kLanes - 1) / kLanes;
    block.launch = launch_;
    block.watch = &watch_;
    block.threads = threads;
    block.shared_bytes =
        launch_->kernel->static_shared_bytes + launch_->config.dynamic_shared_bytes;
    block.uses_reserved_shared = code.uses_reserved_shared;
    block.shared = block.own_shared.allocate(block.shared_end());
    block.uniform_registers = block.own_uniform.allocate(code.uniform_bytes);
    // Add one more cache line for each warp, so that the same register in different warps does not
    // occupy the same set of the host's cache.
    const u64 register_file_bytes = round_up(code.kernel_function.register_file_bytes, 64) + 64;
    u8* register_files = block.block_registers.allocate(register_file_bytes * warps);
    // A program that reads registers before it writes them, as Thrust's set operations do, gets the
    // same values in every run and in plain mode.
    std::memset(register_files, 0, register_file_bytes * warps);
    const u32 local_bytes = code.kernel_function.local_bytes +
                            (code.uses_calls ? static_cast<u32>(launch_->stack_limit) : 0);
    const u64 all_local_bytes = u64{local_bytes} * (threads + kLanes);
    block.local_memory = block.own_local.allocate(all_local_bytes);
    const bool tracks_local_memory =
        local_bytes > 0 && launch_->checks.runs_initcheck && !launch_->is_dry_run;
    u8* local_shadow =
        tracks_local_memory ? block.own_local_shadow.allocate(all_local_bytes / 4) : nullptr;
    const u64 parameter_bytes = u64{code.kernel_function.parameter_bytes} * kLanes;
    u8* parameters = block.own_parameters.allocate(parameter_bytes * warps);

    const std::size_t sites = launch_->kernel->sites.size();
    block.last_row_addresses.assign(sites * warps, 0);

    block.warps.assign(warps, Warp{});
    for (u32 k = 0; k < warps; ++k) {
        Warp& w = block.warps[k];
        w.block = &block;
        w.index = k;
        w.kernel_registers = w.register_files[kOwnFile] = register_files + register_file_bytes * k;
        w.register_files[kUniformFile] = block.uniform_registers;
        w.existing_lanes = mask_of_first_lanes(threads - k * kLanes);
        w.site_counters = totals.sites.data();
        w.straight_line_counts = totals.straight_line_counts.data();
        w.site_caches = site_caches_.data();
        w.last_row_addresses = block.last_row_addresses.data() + sites * k;
        w.checks = launch_->checks;
        w.local_memory = block.local_memory + u64{local_bytes} * kLanes * k;
        w.local_bytes = local_bytes;
        if (local_shadow) w.local_shadow = local_shadow + u64{local_bytes} * kLanes * k / 4;
        w.kernel_parameters = parameters + parameter_bytes * k;
    }
    fill_constants(code.constants, block.warps[0]);
    run_prologue(code.launch_special_slots, code.launch_prologue, block.warps[0]);
    for (Warp& w : block.warps)
        run_prologue(code.position_special_slots, code.position_prologue, w);
    prepare_checks(block);
}

/// Prepares the checks of shared memory.
void Worker::prepare_checks(Resident& block) {
    const Kernel::Code& code = *launch_->code;
    const bool checks_shared_memory =
        block.shared_end() && (launch_->checks.runs_racecheck || launch_->checks.runs_initcheck);
    block.shared_race = checks_shared_memory ? &block.block_race : nullptr;
    if (checks_shared_memory) {
        SharedRace::EnabledChecks enabled_checks;
        enabled_checks.checks_races = launch_->checks.runs_racecheck;
        enabled_checks.checks_uninitialised = launch_->checks.runs_initcheck;
        block.block_race.begin_launch(*launch_->kernel, *shared_log_, enabled_checks,
                                      static_cast<u32>(block.warps.size()));
    }
    const bool may_repeat =
        code.has_repeatable_shared_steps && (!code.is_plain || code.is_recorded);
    block.ledger.begin_launch(static_cast<u32>(block.warps.size()),
                              may_repeat && block.shared_end(), launch_->clean_block);
}

void Worker::attach_listeners(Warp& w) {
    const u64 block = w.block->linear_index;
    const bool is_observed = launch_->recorded_block == ~u64{0} || launch_->recorded_block == block;
    w.step_listener = is_observed ? launch_->recorder : nullptr;
    w.listener = w.step_listener;
    w.has_recorded_enough = false;
    if (trace().is_enabled(block, w.index)) w.listener = &trace();
    if (!w.listener && launch_->is_recorded(block)) w.listener = &neighbour_log;
}

void Worker::start_warps(Block& block) {
    const Kernel::Code& code = *launch_->code;
    for (Warp& w : block.warps) {
        w.live_lanes = w.existing_lanes;
        w.has_met_barrier = false;
        w.last_poll_hash = 0;
        w.enter_frame(nullptr);
        w.pending_loads = 0;
        w.undefined_bytes = nullptr;
        w.cluster_arrived = w.cluster_completed = 0;
        attach_listeners(w);
        reset_spin_limit(w);
        w.other_fragments.assign(
            1, Fragment{.next_op = code.kernel_function.ops.data(), .lanes = w.existing_lanes});
        w.active = 0;
        w.included_instructions = w.executed_instructions;
        if (code.kernel_function.local_bytes && !code.uses_calls)
            std::memset(w.local_memory, 0, u64{w.local_bytes} * kLanes);
        if (w.local_shadow) std::memset(w.local_shadow, 0, u64{w.local_bytes} * kLanes / 4);
    }
    for (Barrier& b : block.barriers) b = {};
    block.finished_warps = 0;
    block.uses_cluster_barrier = false;
    block.waiting_state = {};
    block.async_copies.reset();
    block.bulk_copies.reset();
    block.reported_copies.clear();
    block.copy_bytes_in_flight = 0;
    block.phase_bytes.clear();
    block.mbarrier_inits.clear();
    block.is_abandoned = false;
    block.undefined_bytes_of_warps.clear();
}

Block& Worker::begin_block(u64 number, Cluster* cluster) {
    const auto free_resident =
        std::find_if(residents_.begin(), residents_.end(),
                     [](const auto& resident) { return !resident->is_busy; });
    const auto k = static_cast<std::size_t>(free_resident - residents_.begin());
    if (k == residents_.size()) residents_.push_back(std::make_unique<Resident>());
    Resident& block = *residents_[k];
    if (k >= prepared_residents_) {
        prepare_block(block);
        prepared_residents_ = k + 1;
    }
    block.is_busy = true;
    block.linear_index = number;
    block.index = launch_->config.grid.position_of(number);
    enter_cluster(block, cluster);
    run_prologue(launch_->code->block_special_slots, launch_->code->block_prologue, block.warps[0]);
    start_warps(block);
    if (launch_->global_race)
        launch_->global_race->begin_block(block.global_race, number, &store_in_flight_);
    block.ledger.begin_block();
    const bool is_repeated_block = block.ledger.mode() == SharedLedger::Mode::comparing;
    if (block.shared_race && !is_repeated_block && !cluster) begin_shared_checks(block);
    // A block that repeats the steps of a clean block reads no uninitialized bytes, except to copy
    // them, so its shared memory need not be filled.
    if (!is_repeated_block || !block.shared_race || block.ledger.has_undefined())
        std::memset(block.shared, kSharedPoison, block.shared_bytes);
    // Cooperative groups expect the barriers in reserved shared memory to be zero when a block
    // begins.
    if (block.uses_reserved_shared)
        std::memset(block.shared + DeviceModel::shared_reserved_begin, 0,
                    DeviceModel::shared_reserved_used);
    return block;
}

void Worker::end_block(Block& block) {
    if (!block.is_abandoned) end_bulk_copies(block);
    const SharedRace* race = block.shared_race;
    block.ledger.end_block(!race || race->report_count() == 0,
                           race && race->has_ignored_equal_stores());
    for (Warp& w : block.warps) {
        totals.instructions += w.executed_instructions;
        totals.lane_instructions += w.lane_instructions;
        totals.branches += w.branches;
        totals.divergent_branches += w.divergent_branches;
        w.executed_instructions = w.included_instructions = w.lane_instructions = w.branches =
            w.divergent_branches = 0;
    }
    block.is_busy = block.cluster != nullptr;
    if (block.cluster) leave_cluster(block);
    if (launch_->progress) launch_->progress->note_block_done();
}

std::shared_ptr<const SharedLedger::Steps> Worker::clean_block() const {
    return prepared_residents_ > 0 ? residents_[0]->ledger.clean_steps() : nullptr;
}

void Worker::end_launch() {
    for (std::size_t k = 0; k < prepared_residents_; ++k) {
        if (residents_[k]->shared_race) residents_[k]->block_race.end_launch();
        residents_[k]->ledger.end_launch();
    }
    end_clusters();
}

/// Returns the index of the nth block to run. With a seed, the blocks run in a different order:
/// each index occurs once, at a fixed stride from the previous one.
u64 Worker::block_number(u64 position) const {
    if (!launch_->only_blocks.empty()) return launch_->only_blocks[position];
    if (order_seed_ == 0) return position;
    u64 stride = (0x9e3779b97f4a7c15ull * order_seed_) % block_count_ | 1;
    while (std::gcd(stride, block_count_) != 1) stride += 2;
    return static_cast<u64>((static_cast<unsigned __int128>(position) * stride + order_seed_) %
                            block_count_);
}

// ---- running ----

void Worker::advance_block(Block& block) {
    if (run_block(block, order_seed_) == BlockOutcome::waits_for_others) {
        waiting_blocks_.push_back(&block);
        return;
    }
    end_block(block);
    watch_.note_progress();
}

void Worker::run() {
    try {
        cluster_size_ > 1 ? run_clusters() : run_blocks();
    } catch (const std::bad_alloc&) {
        report_no_memory();
    }
}

void Worker::report_no_memory() {
    Report report;
    report.check = "execution";
    report.kind = "out of host memory";
    report.kernel = launch_->kernel->display_name;
    report.message =
        "the host has no memory left for the registers, local and shared memory of a block of " +
        std::to_string(launch_->config.block.count()) + " threads";
    report.cure =
        "Make the block or the kernel's local arrays smaller, or give the program more memory.";
    reports().add(report);
    launch_->fail(Status::out_of_memory);
}

void Worker::run_blocks() {
    bool has_more_blocks = true;
    while (!launch_->has_failed()) {
        if (has_more_blocks && waiting_blocks_.size() < max_resident_blocks_) {
            const u64 launch_position = launch_->next_block.fetch_add(1, std::memory_order_relaxed);
            has_more_blocks = launch_position < block_count_;
            if (has_more_blocks) {
                watch_.note_progress();
                const u64 number = block_number(launch_position);
                if (!launch_->is_skipped(number))
                    advance_block(begin_block(number));
                else if (launch_->run_skipped_block)
                    launch_->run_skipped_block(number);
                continue;
            }
        }
        if (waiting_blocks_.empty()) return;
        run_round();
    }
}

/// Runs every waiting block once.
void Worker::run_round() {
    for (Block* block : std::exchange(waiting_blocks_, {})) {
        advance_block(*block);
        if (launch_->has_failed()) return;
    }
    const Watch::Verdict verdict = watch_.end_round(waiting_blocks_);
    if (verdict == Watch::Verdict::deadlock) report_stuck_grid();
    if (verdict == Watch::Verdict::waits_for_host) report_waiting_for_host();
}

void Worker::report_stuck_grid() {
    const Block& block = *waiting_blocks_.front();
    const Warp& stuck_warp = find_deadlocked_warp(block);
    const Fragment& f = stuck_warp.other_fragments.front();
    const u64 begun_blocks = std::min(launch_->next_block.load(), block_count_);
    const std::string wait_text = std::to_string(waiting_blocks_.size());
    std::string message =
        (waiting_blocks_.size() == 1 ? "1 block waits" : wait_text + " blocks wait") +
        (waits_at_cluster_barrier(block)
             ? " at a barrier of the cluster, and no running thread will arrive there"
             : " for memory to change, but no running thread will change it");
    if (begun_blocks < block_count_)
        message +=
            "; " + std::to_string(block_count_ - begun_blocks) +
            (block_count_ - begun_blocks == 1 ? " more block" : " more blocks") +
            " cannot start until " +
            (waiting_blocks_.size() == 1 ? "this block" : "one of these " + wait_text + " blocks") +
            " ends, because the device can hold no more blocks at a time";
    message += ":\n" + describe_waiting(block);
    const int lane = std::countr_zero(f.lanes);
    Report report = stuck_warp.describe(
        f.polling_op ? f.polling_op : f.next_op, "synccheck", "deadlock", lane, message,
        "Is the lock released, or the flag set, on every path? Blocks may wait only "
        "for blocks that are certain to run. (A copy by the host cannot change the "
        "memory: in the simulator, a launch ends before the host continues.)");
    const FunctionCode& code = f.frame ? *f.frame->code : launch_->code->kernel_function;
    if (f.polling_op && code.ast->body[f.polling_op->source].opcode == "mbarrier") {
        const MbarrierWaitText mbarrier_wait =
            describe_mbarrier_wait(stuck_warp, *f.polling_op, lane);
        report.message += mbarrier_wait.state;
        report.cure = mbarrier_wait.cure;
        if (is_inlined_from("cuda/pipeline", *launch_->kernel, code, *f.polling_op))
            report.cure =
                "In every thread, call consumer_release() once for each consumer_wait(), and "
                "producer_commit() once for each producer_acquire().";
    }
    reports().add(report);
    launch_->fail(Status::launch_timeout);
}

void Worker::report_waiting_for_host() {
    Report report = watch_.host_wait_report();
    report.message =
        "waits for " + describe_address(report.address, *launch_->allocations) +
        ", which the host can write, but no thread of the grid will write. On hardware, the host "
        "continues while the kernel runs. In the simulator, the launching call returns only after "
        "the kernel has ended, so the host cannot write before that:\n" +
        describe_waiting(*waiting_blocks_.front());
    report.cure =
        "Write the memory before the launch, or split the kernel in two at the place where it "
        "waits.";
    reports().add(report);
    launch_->fail(Status::launch_timeout);
}

}  // namespace coalesce::simulator
