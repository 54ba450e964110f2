// Long: one class checks, records, traces and counts a launch.
#include "simulator/device/device.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>
#include <thread>
#include <tuple>
#include <unordered_map>

#include "simulator/execute/device_calls.h"
#include "simulator/execute/recorder.h"
#include "simulator/execute/special_registers.h"
#include "simulator/execute/worker.h"
#include "simulator/lowering/lower.h"
#include "simulator/ptxas/register_estimate.h"
#include "simulator/report/progress.h"
#include "simulator/report/selection.h"
#include "simulator/trace/trace_keeper.h"
#include "simulator/trace/tracer.h"
#include "timing/occupancy.h"

namespace coalesce::simulator {

struct Device::State {
    explicit State(u64 capacity) : memory(capacity) {}

    DeviceMemory memory;
    std::unique_ptr<GlobalRace> global_race;
    ReadMarks read_marks;
    RaceLog shared_log{"racecheck"};
    std::vector<std::unique_ptr<Worker>> workers;
    Worker recording_worker;  ///< runs the recorded blocks
    std::mutex launch_mutex;  ///< held during a launch, because launches run one after the other
    u64 launch_count = 0;
    u64 device_clock = 0;
    u64 grid_workspace = 0;
    std::unordered_map<std::string, u64>
        launch_count_of_key;  ///< the number of launches with each key (see make_launch_key)
    /// The shared memory accesses and barriers of a block without errors, recorded during the
    /// kernel's last launch, and the key of that launch.
    struct CleanBlock {
        std::shared_ptr<const Kernel::Code> code;
        std::string key;
        std::shared_ptr<const SharedLedger::Steps> steps;
    };
    std::unordered_map<const Kernel*, CleanBlock> clean_blocks;
    /// The traced launch, and the tracer of its block. Both are null unless a launch is being
    /// traced.
    std::unique_ptr<Launch> traced_launch;
    std::unique_ptr<BlockTracer> tracer;
    void remember_clean_block(const Launch& launch);
    void recall_clean_block(Launch& launch) const;
    void allocate_grid_workspace();
    void keep_trace();
};

namespace {

void report_not_simulated(const Kernel& kernel, const std::string& message, const Place& where) {
    Report report;
    report.check = "execution";
    report.kind = "unsupported";
    report.kernel = kernel.display_name;
    report.where = where;
    report.message = message;
    report.cure = "This kernel cannot run on the simulated GPU.";
    reports().add(report);
}

}  // namespace

Device::Device() : state_(std::make_unique<State>(options().memory_bytes)) {}

Device& Device::instance() {
    // The device is never destroyed, because programs may free memory in their own destructors at
    // any time during exit.
    static Device* device = new Device;
    return *device;
}

DeviceMemory& Device::memory() {
    return state_->memory;
}

u32 Device::blocks_per_multiprocessor(const Kernel& kernel, u32 threads, u32 dynamic_shared_bytes) {
    using Model = DeviceModel;
    if (threads == 0 || threads > Model::max_threads_per_block) return 0;
    const u32 warps = (threads + kLanes - 1) / kLanes;
    return std::min(
        max_resident_blocks(warps, u64{kernel.static_shared_bytes} + dynamic_shared_bytes),
        timing::max_blocks_by_registers(kernel.estimated_registers, warps,
                                        Model::registers_per_multiprocessor));
}

// ---- launching ----

namespace {

u32 choose_worker_count(const Kernel::Code& code, const LaunchConfig& config) {
    // If blocks can observe the order in which they run, this order must be fixed, so use one
    // worker.
    if (code.is_order_sensitive || config.is_cooperative || options().seed || code.is_plain)
        return 1;
    const u32 max_workers = options().worker_count
                                ? options().worker_count
                                : std::max(1u, std::thread::hardware_concurrency());
    return static_cast<u32>(std::clamp<u64>(config.grid.count() / 4, 1, max_workers));
}

Status check_shape(const Kernel& kernel, const LaunchConfig& config) {
    const u64 threads = config.block.count();
    if (threads == 0 || config.grid.count() == 0) return Status::invalid_configuration;
    if (threads > DeviceModel::max_threads_per_block) return Status::invalid_configuration;
    if (u64{kernel.static_shared_bytes} + config.dynamic_shared_bytes >
        DeviceModel::shared_per_block_optin)
        return Status::invalid_value;
    return Status::success;
}

std::vector<u8> pack_parameters(const Kernel& kernel, void** arguments) {
    std::vector<u8> parameter_memory(kernel.parameter_bytes);
    for (std::size_t k = 0; k < kernel.parameter_offsets.size(); ++k)
        std::memcpy(parameter_memory.data() + kernel.parameter_offsets[k], arguments[k],
                    kernel.ast->parameters[k].size);
    return parameter_memory;
}

void add_totals(Kernel& kernel, const WorkerTotals& totals) {
    for (std::size_t k = 0; k < totals.sites.size(); ++k) kernel.totals.sites[k] += totals.sites[k];
    for (std::size_t k = 0; k < totals.straight_line_counts.size(); ++k) {
        if (totals.straight_line_counts[k] == 0) continue;
        for (const auto& [line, count] : totals.code->straight_line_runs[k])
            kernel.totals.instructions_by_line[line] += totals.straight_line_counts[k] * count;
        for (const auto& [remark, count] : totals.code->remarks_of_runs[k])
            kernel.totals.remark_counts[remark] += totals.straight_line_counts[k] * count;
    }
    kernel.totals.warp_instructions += totals.instructions;
    kernel.totals.thread_instructions += totals.lane_instructions;
    kernel.totals.branches += totals.branches;
    kernel.totals.divergent_branches += totals.divergent_branches;
}

/// Reports whether the address is in the unused gap before or after an allocation.
bool is_in_gap_of_allocation(const AllocationTable& allocations, u64 address) {
    const Allocation* nearest = allocations.find_nearest(address);
    return nearest != nullptr && address + kWideGapBytes >= nearest->begin &&
           address <= nearest->end + kWideGapBytes;
}

/// Returns the allocations to which the kernel writes through its pointers. Returns nothing if a
/// pointer is in the gap beside an allocation, as in `data - 1` for an array that counts from 1.
std::optional<std::vector<const Allocation*>> find_written_allocations(const Launch& launch) {
    const Kernel& kernel = *launch.kernel;
    std::vector<u64> pointers{launch.grid_workspace};  // grid barriers write to the workspace
    for (const u32 offset : kernel.written_memory.pointer_offsets) {
        u64 pointer = 0;
        if (offset + sizeof pointer <= launch.parameters.size())
            std::memcpy(&pointer, launch.parameters.data() + offset, sizeof pointer);
        pointers.push_back(pointer);
    }
    for (const std::string& name : kernel.written_memory.variable_names)
        if (const auto found = kernel.module->variable_addresses.find(name);
            found != kernel.module->variable_addresses.end())
            pointers.push_back(found->second);
    std::vector<const Allocation*> allocations;
    for (const u64 pointer : pointers) {
        if (const Allocation* found = launch.allocations->find(pointer))
            allocations.push_back(found);
        else if (is_in_gap_of_allocation(*launch.allocations, pointer))
            return std::nullopt;
    }
    return allocations;
}

/// Reports whether the simulator supports everything that the kernel needs for this launch.
/// Prepares the kernel for clusters if necessary.
bool is_runnable(Kernel& kernel, const LaunchConfig& config) {
    if (!kernel.error.empty()) {
        report_not_simulated(kernel, kernel.error, kernel.error_place);
        return false;
    }
    if (!config.has_clusters()) return true;
    if (!kernel.cluster_code) kernel.cluster_code = lower_for_clusters(kernel);
    if (!kernel.cluster_code)
        report_not_simulated(kernel, "this kernel cannot be translated for launches with clusters",
                             {});
    return kernel.cluster_code != nullptr;
}

}  // namespace

Status Device::launch(Kernel& kernel, const LaunchConfig& config, void** arguments) {
    const std::lock_guard lock(state_->launch_mutex);
    if (const Status shape_status = check_shape(kernel, config); shape_status != Status::success)
        return shape_status;
    lower_kernel(kernel);
    if (!is_runnable(kernel, config)) return Status::unsupported_ptx;
    const u64 resident_blocks =
        u64{DeviceModel::multiprocessors} *
        std::max(1u, blocks_per_multiprocessor(kernel, static_cast<u32>(config.block.count()),
                                               config.dynamic_shared_bytes));
    if (config.is_cooperative && config.grid.count() > resident_blocks)
        return Status::cooperative_too_large;
    if (kernel.code->needs_heap) DeviceHeap::instance().prepare_for_launch(state_->memory);
    if (config.is_cooperative && !state_->grid_workspace) state_->allocate_grid_workspace();

    const bool is_recording = recorder().mode() != Recorder::RecordMode::nothing && !options().seed;
    const bool is_recording_only =
        is_recording && recorder().mode() != Recorder::RecordMode::beside;
    timing::Recording* recording =
        is_recording ? &recorder().add_recording(kernel, config) : nullptr;
    if (recording && (config.is_cooperative || config.has_clusters()))
        recording->has_waiting_blocks = true;
    if (is_recording_only && recording->has_waiting_blocks) return Status::success;
    Launch launch;
    fill_launch(launch, kernel, config, arguments);
    if (is_recording_only || (options().max_checked_launches && should_skip_checks(launch))) {
        // If only some blocks run, they may read memory that other blocks would have written, so
        // disable all checks.
        static_cast<void>(set_checks(launch.checks, "none"));
        launch.checks.runs_memcheck = is_recording_only || options().checks.runs_memcheck;
    }
    launch.is_dry_run = is_recording_only;
    if (config.accessed_ranges != nullptr && !config.wants_shared_memory_only)
        launch.read_marks = &state_->read_marks;
    begin_race_check(launch);
    state_->shared_log.begin_launch(kernel, config.grid, config.block);
    std::vector<WorkerTotals> worker_totals;
    if (recording && !recording->has_waiting_blocks)
        record_sampled_blocks(launch, *recording, arguments, resident_blocks, is_recording_only,
                              worker_totals);
    if (is_selected_kernel(kernel.display_name))
        if (const auto request = trace_keeper().take_request())
            trace_block(launch, *request, arguments, resident_blocks, worker_totals);
    if (!launch.clean_block && !options().is_plain) state_->recall_clean_block(launch);
    Progress progress(kernel.display_name, config.grid.count());
    launch.progress = &progress;
    if (!launch.has_failed()) run_blocks(launch, resident_blocks, worker_totals);
    if (recording)
        for (const auto& worker : state_->workers) worker->neighbour_log.move_to(*recording);
    if (!is_recording_only) merge_totals(launch, worker_totals);
    if (launch.global_race) {
        if (config.accessed_ranges != nullptr && !launch.has_failed()) add_accessed_ranges(launch);
        launch.global_race->end_launch();
        if (launch.global_race->had_unexpected_write())
            kernel.written_memory.may_be_anywhere = true;
    }
    if (launch.read_marks != nullptr) launch.read_marks->clear();
    state_->shared_log.end_launch();
    state_->keep_trace();
    return static_cast<Status>(launch.status.load());
}

void Device::State::allocate_grid_workspace() {
    constexpr u64 kWorkspaceBytes = 4096;
    grid_workspace = memory.allocate(kWorkspaceBytes, AllocationKind::variable, "grid barrier");
    if (u8* host_bytes = memory.host_view(grid_workspace, kWorkspaceBytes))
        std::memset(host_bytes, 0, kWorkspaceBytes);
    memory.mark_written(grid_workspace, kWorkspaceBytes);
}

/// Keeps the steps of a traced launch, if there was one.
void Device::State::keep_trace() {
    if (tracer) trace_keeper().keep_trace(tracer->finish());
    tracer.reset();
    traced_launch.reset();
}

void Device::begin_race_check(Launch& launch) {
    if (!launch.checks.runs_globalrace) return;
    if (!state_->global_race)
        state_->global_race = std::make_unique<GlobalRace>(state_->memory.range_bytes());
    launch.global_race = state_->global_race.get();
    launch.global_race->begin_launch(*launch.kernel, launch.config.grid, launch.config.block,
                                     *launch.allocations, launch.config.is_cooperative);
    if (launch.kernel->written_memory.may_be_anywhere) return;
    if (auto written_allocations = find_written_allocations(launch))
        launch.global_race->expect_writes(std::move(*written_allocations));
}

namespace {

/// Reports whether the launch's ReadMarks contain all reads of memory that the kernel does not
/// write. Asynchronous copies and loads of matrices set no marks, because the shadow of the race
/// check records their reads.
bool sets_mark_for_all_reads(const Kernel& kernel) {
    return std::none_of(kernel.sites.begin(), kernel.sites.end(), [](const Site& site) {
        if (!site.is_load || site.space == ptx::StateSpace::shared) return false;
        const std::string& opcode = site.function->body[site.instruction].opcode;
        return opcode != "ld" && opcode != "ldu";
    });
}

}  // namespace

/// Adds the bytes that the launch has accessed to LaunchConfig::accessed_ranges. Considers only the
/// allocations to which the launch's parameters point.
void Device::add_accessed_ranges(const Launch& launch) {
    std::set<const Allocation*> allocations;
    const bool skips_read_only = launch.read_marks != nullptr &&
                                 sets_mark_for_all_reads(*launch.kernel) &&
                                 !launch.global_race->had_unexpected_write();
    for (std::size_t at = 0; at + sizeof(u64) <= launch.parameters.size(); at += sizeof(u64)) {
        u64 pointer;
        std::memcpy(&pointer, launch.parameters.data() + at, sizeof pointer);
        const Allocation* found = launch.allocations->find(pointer);
        const bool is_shared_with_host = found != nullptr && found->host_offset == 0;
        if (found != nullptr && (is_shared_with_host || !launch.config.wants_shared_memory_only))
            allocations.insert(found);
    }
    for (const Allocation* allocation : allocations) {
        if (skips_read_only && launch.global_race->is_read_only(*allocation)) continue;
        if (state_->memory.is_device_range(allocation->begin))
            launch.global_race->add_accessed_ranges(allocation->begin, allocation->end,
                                                    *launch.config.accessed_ranges);
    }
    if (launch.read_marks != nullptr)
        launch.read_marks->add_to_ranges(*launch.config.accessed_ranges, *launch.kernel);
    launch.config.accessed_ranges->sort_and_join();
}

void Device::fill_launch(Launch& launch, Kernel& kernel, const LaunchConfig& config,
                         void** arguments) {
    launch.kernel = &kernel;
    launch.code = (config.has_clusters() ? kernel.cluster_code : kernel.code).get();
    launch.config = config;
    launch.memory = &state_->memory;
    launch.allocations = state_->memory.allocation_table_for(config.accessible_devices);
    launch.checks = options().checks;
    launch.parameters = pack_parameters(kernel, arguments);
    launch.instruction_limit = options().max_instructions;
    launch.launch_number = state_->launch_count++;
    if (const u64 seed = options().seed) {
        // Also make the clock depend on the seed, because results must not depend on the time.
        state_->device_clock += seed % (u64{1} << 40);
        launch.cycles_per_instruction += 1 + seed % 7;
    }
    launch.start_cycles = state_->device_clock;
    launch.stack_limit = stack_limit;
    launch.grid_workspace = state_->grid_workspace;
}

namespace {

/// Returns a key that is the same for launches of the same kernel with the same arguments, shape
/// and checks.
std::string make_launch_key(const Launch& launch) {
    std::string key(launch.parameters.begin(), launch.parameters.end());
    const auto append_bytes = [&key](const auto& value) {
        key.append(reinterpret_cast<const char*>(&value), sizeof value);
    };
    append_bytes(launch.kernel);
    append_bytes(launch.config.grid);
    append_bytes(launch.config.block);
    append_bytes(launch.config.cluster);
    append_bytes(launch.config.dynamic_shared_bytes);
    append_bytes(launch.checks.runs_racecheck);
    append_bytes(launch.checks.runs_initcheck);
    return key;
}

}  // namespace

/// Reports whether this launch is counted but not checked, because enough launches with the same
/// arguments have already been checked (see Options::sample).
bool Device::should_skip_checks(const Launch& launch) {
    // Limit the size of the table, because a program may make any number of different launches.
    constexpr std::size_t kMaxLaunchKeys = 1 << 16;
    if (state_->launch_count_of_key.size() >= kMaxLaunchKeys) return false;
    if (++state_->launch_count_of_key[make_launch_key(launch)] <= options().max_checked_launches)
        return false;
    ++launch.kernel->totals.unchecked_launches;
    return true;
}

/// Keeps the steps of the clean block of this launch. If the next launch has the same key, its
/// blocks are compared with these steps.
void Device::State::remember_clean_block(const Launch& launch) {
    constexpr std::size_t kMaxCleanBlocks = 64, kMaxSteps = 1 << 16;
    if (!launch.clean_block || launch.clean_block->warp_of_step.size() > kMaxSteps) return;
    if (clean_blocks.size() >= kMaxCleanBlocks) clean_blocks.clear();
    // A block may compute addresses from values that are set before it begins. Of these values,
    // only %gridid differs from launch to launch.
    const auto* launch_number_register = find_special_register("%gridid");
    for (const SpecialSlot& special_slot : launch.kernel->code->launch_special_slots)
        if (special_slot.special_register == launch_number_register) return;
    clean_blocks[launch.kernel] = {launch.kernel->code, make_launch_key(launch),
                                   launch.clean_block};
}

void Device::State::recall_clean_block(Launch& launch) const {
    const auto found = clean_blocks.find(launch.kernel);
    if (found == clean_blocks.end() || found->second.code != launch.kernel->code ||
        found->second.key != make_launch_key(launch))
        return;
    launch.clean_block = found->second.steps;
}

namespace {

/// The launch that runs the sampled blocks, and the log that records them.
struct SampledBlocksRun {
    SampledBlocksRun(const Kernel& kernel, timing::Recording& recording)
        : step_log(kernel, *kernel.recording_code, recording) {}

    StepLog step_log;
    Launch launch;
};

/// Chooses the neighbouring blocks that the launch records, based on the recording of the sampled
/// blocks.
void choose_neighbours(Launch& launch, timing::Recording& recording, u64 resident_blocks) {
    const auto neighbours = Recorder::choose_neighbours(recording, resident_blocks);
    std::tie(launch.first_neighbour, launch.neighbour_count) = neighbours;
    std::tie(launch.first_block_below, launch.block_count_below) =
        Recorder::choose_blocks_below(recording, neighbours);
    recording.neighbour_blocks = launch.neighbour_count;
}

void run_with_worker(Worker& worker, Launch& launch, RaceLog& shared_log, u64 resident_blocks,
                     std::vector<WorkerTotals>& worker_totals) {
    worker.begin_launch(launch, shared_log, options().seed, resident_blocks);
    worker.run();
    // A dry run may abandon a block before its end. Such a block cannot serve as the clean block,
    // with which later blocks are compared.
    if (!launch.is_dry_run) launch.clean_block = worker.clean_block();
    worker.end_launch();
    worker_totals.push_back(std::move(worker.totals));
}

}  // namespace

/// Runs the sampled blocks and records each step. `launch` does not run these blocks again. If
/// blocks can observe the order in which they run, each sampled block runs when its turn comes.
/// Otherwise, all sampled blocks run before the other blocks.
void Device::record_sampled_blocks(Launch& launch, timing::Recording& recording, void** arguments,
                                   u64 resident_blocks, bool is_recording_only,
                                   std::vector<WorkerTotals>& worker_totals) {
    Kernel& kernel = *launch.kernel;
    if (!kernel.recording_code) kernel.recording_code = lower_for_recording(kernel);
    if (!kernel.recording_code) return;
    const auto sampled_run = std::make_shared<SampledBlocksRun>(kernel, recording);
    fill_launch(sampled_run->launch, kernel, launch.config, arguments);
    sampled_run->launch.code = kernel.recording_code.get();
    sampled_run->launch.checks = launch.checks;
    sampled_run->launch.global_race = launch.global_race;
    sampled_run->launch.launch_number = launch.launch_number;
    sampled_run->launch.is_dry_run = recorder().mode() == Recorder::RecordMode::alone;
    sampled_run->launch.recorder = &sampled_run->step_log;
    const auto run_sampled_blocks = [=, this, &launch, &recording,
                                     &worker_totals](std::vector<u64> blocks) {
        sampled_run->launch.only_blocks = std::move(blocks);
        sampled_run->launch.next_block = 0;
        run_with_worker(state_->recording_worker, sampled_run->launch, state_->shared_log,
                        resident_blocks, worker_totals);
        if (sampled_run->launch.has_failed())
            launch.fail(static_cast<Status>(sampled_run->launch.status.load()));
        launch.clean_block = sampled_run->launch.clean_block;
        choose_neighbours(launch, recording, resident_blocks);
    };
    const std::vector<u64> blocks = Recorder::choose_blocks(launch.config, resident_blocks);
    if (!is_recording_only) launch.skipped_blocks = blocks;
    if (!is_recording_only && launch.code->is_order_sensitive) {
        launch.run_skipped_block = [run_sampled_blocks](u64 block) { run_sampled_blocks({block}); };
        return;
    }
    const auto skip_blocks = [&launch, is_recording_only](const std::vector<u64>& added_blocks) {
        if (!is_recording_only)
            launch.skipped_blocks.insert(launch.skipped_blocks.end(), added_blocks.begin(),
                                         added_blocks.end());
    };
    run_sampled_blocks(blocks);
    if (const auto blocks_near_first = Recorder::choose_blocks_near_first(
            launch.config, recording, reads_grid_size(*kernel.ast));
        !blocks_near_first.empty()) {
        skip_blocks(blocks_near_first);
        run_sampled_blocks(blocks_near_first);
    }
    if (const std::vector<u64> more_blocks =
            Recorder::choose_additional_blocks(launch.config, recording);
        !more_blocks.empty()) {
        recording.recorded_blocks.clear();
        skip_blocks(more_blocks);
        run_sampled_blocks(more_blocks);
    }
    if (!is_recording_only) return;
    launch.only_blocks.resize(launch.neighbour_count + launch.block_count_below);
    const auto begin_of_blocks_below =
        launch.only_blocks.begin() + static_cast<std::ptrdiff_t>(launch.neighbour_count);
    std::iota(launch.only_blocks.begin(), begin_of_blocks_below, launch.first_neighbour);
    std::iota(begin_of_blocks_below, launch.only_blocks.end(), launch.first_block_below);
}

/// Runs the traced block and records each step. `launch` does not run this block again. If the
/// caller wants to trace the block that stores to a certain address, runs one block after another
/// in this way until one of them has stored to it.
void Device::trace_block(Launch& launch, const TraceRequest& request, void** arguments,
                         u64 resident_blocks, std::vector<WorkerTotals>& worker_totals) {
    Kernel& kernel = *launch.kernel;
    const u64 blocks = launch.config.grid.count();
    if (!kernel.recording_code) kernel.recording_code = lower_for_recording(kernel);
    if (launch.config.has_clusters() || !kernel.recording_code)
        return trace_keeper().set_problem("a launch with clusters cannot be traced");
    if (request.block >= blocks)
        return trace_keeper().set_problem("the grid has only " + std::to_string(blocks) +
                                          " blocks");
    const bool has_waiting_blocks = launch.config.is_cooperative || launch.code->is_order_sensitive;
    const auto run_traced_block = [&](u64 block) {
        auto traced_run = std::make_unique<Launch>();
        fill_launch(*traced_run, kernel, launch.config, arguments);
        traced_run->code = kernel.recording_code.get();
        traced_run->checks = launch.checks;
        traced_run->global_race = launch.global_race;
        traced_run->launch_number = launch.launch_number;
        state_->tracer = std::make_unique<BlockTracer>(*traced_run, block, request.steps);
        traced_run->recorder = state_->tracer.get();
        if (has_waiting_blocks)
            traced_run->recorded_block = block;
        else
            traced_run->only_blocks = {block};
        run_with_worker(state_->recording_worker, *traced_run, state_->shared_log, resident_blocks,
                        worker_totals);
        state_->tracer->end_block();
        if (traced_run->has_failed()) launch.fail(static_cast<Status>(traced_run->status.load()));
        state_->traced_launch = std::move(traced_run);
        launch.skipped_blocks.push_back(block);
    };
    run_traced_block(request.block);
    for (u64 block = 0; block < blocks && request.stored_address && !has_waiting_blocks; ++block) {
        if (launch.has_failed() || state_->tracer->has_stored_to(request.stored_address)) break;
        if (block != request.block) run_traced_block(block);
    }
    if (request.stored_address) state_->tracer->mark_last_store(request.stored_address);
    // If blocks wait for each other, they have all run together, so no block is left to run.
    if (has_waiting_blocks) launch.next_block = blocks;
}

/// Runs the blocks of the launch on as many workers as allowed.
void Device::run_blocks(Launch& launch, u64 resident_blocks,
                        std::vector<WorkerTotals>& worker_totals) {
    const u32 count = choose_worker_count(*launch.code, launch.config);
    std::vector<std::unique_ptr<Worker>>& workers = state_->workers;
    while (workers.size() < count) workers.push_back(std::make_unique<Worker>());
    for (u32 k = 0; k < count; ++k)
        workers[k]->begin_launch(launch, state_->shared_log, options().seed, resident_blocks);
    std::vector<std::thread> threads;
    for (u32 k = 1; k < count; ++k) threads.emplace_back([&, k] { workers[k]->run(); });
    workers[0]->run();
    for (std::thread& host_thread : threads) host_thread.join();
    for (u32 k = 0; k < count; ++k) {
        if (!launch.clean_block) launch.clean_block = workers[k]->clean_block();
        workers[k]->end_launch();
        worker_totals.push_back(std::move(workers[k]->totals));
    }
    if (!launch.has_failed() && !launch.is_dry_run) state_->remember_clean_block(launch);
}

/// Adds up the counters of all blocks, unless an error has stopped the launch.
void Device::merge_totals(const Launch& launch, const std::vector<WorkerTotals>& worker_totals) {
    Kernel& kernel = *launch.kernel;
    ++(launch.has_failed() ? kernel.totals.failed_launches : kernel.totals.launches);
    kernel.totals.grid = launch.config.grid;
    kernel.totals.block = launch.config.block;
    state_->device_clock += 1000 + launch.skipped_cycles;
    if (launch.has_failed()) return;
    for (const WorkerTotals& totals : worker_totals) {
        add_totals(kernel, totals);
        state_->device_clock += totals.instructions;
    }
}

}  // namespace coalesce::simulator
