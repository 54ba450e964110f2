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
    ReadMarks reads;
    RaceLog shared_log{"racecheck"};
    std::vector<std::unique_ptr<Worker>> workers;
    Worker recording_worker;  ///< runs the recorded blocks
    std::mutex launching;     ///< held during a launch, because launches run one after the other
    u64 launches = 0;
    u64 clock = 0;
    u64 grid_workspace = 0;
    std::unordered_map<std::string, u64>
        launch_counts;  ///< the number of launches with each key (see make_launch_key)
    /// The shared-memory steps of a clean block, recorded during the kernel's last launch, and the
    /// key of that launch.
    struct CleanBlock {
        std::shared_ptr<const Kernel::Code> code;
        std::string key;
        std::shared_ptr<const SharedLedger::Steps> steps;
    };
    std::unordered_map<const Kernel*, CleanBlock> clean;
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
    report.kernel = kernel.demangled;
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

u32 Device::blocks_per_multiprocessor(const Kernel& kernel, u32 threads, u32 dynamic_shared) {
    using M = DeviceModel;
    if (threads == 0 || threads > M::max_threads_per_block) return 0;
    const u32 warps = (threads + kLanes - 1) / kLanes;
    return std::min(max_resident_blocks(warps, u64{kernel.static_shared} + dynamic_shared),
                    timing::blocks_with_registers(kernel.estimated_registers, warps,
                                                  M::registers_per_multiprocessor));
}

// ---- launching ----

namespace {

u32 worker_count(const Kernel::Code& code, const LaunchConfig& config) {
    // If blocks can observe the order in which they run, this order must be fixed, so use one
    // worker.
    if (code.order_sensitive || config.cooperative || options().seed || code.plain) return 1;
    const u32 wanted =
        options().workers ? options().workers : std::max(1u, std::thread::hardware_concurrency());
    return static_cast<u32>(std::clamp<u64>(config.grid.count() / 4, 1, wanted));
}

Status check_shape(const Kernel& kernel, const LaunchConfig& config) {
    const u64 threads = config.block.count();
    if (threads == 0 || config.grid.count() == 0) return Status::invalid_configuration;
    if (threads > DeviceModel::max_threads_per_block) return Status::invalid_configuration;
    if (u64{kernel.static_shared} + config.dynamic_shared > DeviceModel::shared_per_block_optin)
        return Status::invalid_value;
    return Status::success;
}

std::vector<u8> pack_parameters(const Kernel& kernel, void** arguments) {
    std::vector<u8> memory(kernel.parameter_bytes);
    for (std::size_t k = 0; k < kernel.parameter_offsets.size(); ++k)
        std::memcpy(memory.data() + kernel.parameter_offsets[k], arguments[k],
                    kernel.ast->parameters[k].size);
    return memory;
}

void add_totals(Kernel& kernel, const WorkerTotals& totals) {
    for (std::size_t k = 0; k < totals.sites.size(); ++k) kernel.totals.sites[k] += totals.sites[k];
    for (std::size_t k = 0; k < totals.straight_line_counts.size(); ++k) {
        if (totals.straight_line_counts[k] == 0) continue;
        for (const auto& [line, count] : totals.code->straight_line_runs[k])
            kernel.totals.instructions_by_line[line] += totals.straight_line_counts[k] * count;
        for (const auto& [remark, count] : totals.code->remarks[k])
            kernel.totals.remarks[remark] += totals.straight_line_counts[k] * count;
    }
    kernel.totals.warp_instructions += totals.instructions;
    kernel.totals.thread_instructions += totals.lane_instructions;
    kernel.totals.branches += totals.branches;
    kernel.totals.divergent_branches += totals.divergent_branches;
}

/// Reports whether the address is in the unused gap before or after an allocation.
bool is_beside_allocation(const AllocationTable& allocations, u64 address) {
    const Allocation* nearest = allocations.nearest(address);
    return nearest != nullptr && address + kWideGapBytes >= nearest->begin &&
           address <= nearest->end + kWideGapBytes;
}

/// Returns the allocations to which the kernel writes through its pointers. Returns nothing if a
/// pointer is in the gap beside an allocation, as in `data - 1` for an array that counts from 1.
std::optional<std::vector<const Allocation*>> find_written_allocations(const Launch& launch) {
    const Kernel& kernel = *launch.kernel;
    std::vector<u64> pointers{launch.grid_workspace};  // grid barriers write to the workspace
    for (const u32 offset : kernel.written.parameters) {
        u64 pointer = 0;
        if (offset + sizeof pointer <= launch.parameters.size())
            std::memcpy(&pointer, launch.parameters.data() + offset, sizeof pointer);
        pointers.push_back(pointer);
    }
    for (const std::string& name : kernel.written.variables)
        if (const auto found = kernel.module->variable_addresses.find(name);
            found != kernel.module->variable_addresses.end())
            pointers.push_back(found->second);
    std::vector<const Allocation*> allocations;
    for (const u64 pointer : pointers) {
        if (const Allocation* found = launch.allocations->find(pointer))
            allocations.push_back(found);
        else if (is_beside_allocation(*launch.allocations, pointer))
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
    const std::lock_guard lock(state_->launching);
    if (const Status bad = check_shape(kernel, config); bad != Status::success) return bad;
    lower(kernel);
    if (!is_runnable(kernel, config)) return Status::unsupported_ptx;
    const u64 resident =
        u64{DeviceModel::multiprocessors} *
        std::max(1u, blocks_per_multiprocessor(kernel, static_cast<u32>(config.block.count()),
                                               config.dynamic_shared));
    if (config.cooperative && config.grid.count() > resident) return Status::cooperative_too_large;
    if (kernel.code->needs_heap) DeviceHeap::instance().prepare(state_->memory);
    if (config.cooperative && !state_->grid_workspace) state_->allocate_grid_workspace();

    const bool records = recorder().mode() != Recorder::RecordMode::nothing && !options().seed;
    const bool alone = records && recorder().mode() != Recorder::RecordMode::beside;
    timing::Recording* recording = records ? &recorder().add(kernel, config) : nullptr;
    if (recording && (config.cooperative || config.has_clusters())) recording->blocks_wait = true;
    if (alone && recording->blocks_wait) return Status::success;
    Launch launch;
    describe_launch(launch, kernel, config, arguments);
    if (alone || (options().sample && should_skip_checks(launch))) {
        // If only some blocks run, they may read memory that other blocks would have written, so
        // disable all checks.
        static_cast<void>(set_checks(launch.checks, "none"));
        launch.checks.memory = alone || options().checks.memory;
    }
    launch.is_dry_run = alone;
    if (config.accesses != nullptr && !config.wants_shared_memory_only)
        launch.reads = &state_->reads;
    begin_race_check(launch);
    state_->shared_log.begin_launch(kernel, config.grid, config.block);
    std::vector<WorkerTotals> counted;
    if (recording && !recording->blocks_wait)
        record(launch, *recording, arguments, resident, alone, counted);
    if (is_selected_kernel(kernel.demangled))
        if (const auto request = trace_keeper().take_request())
            trace(launch, *request, arguments, resident, counted);
    if (!launch.clean_block && !options().plain) state_->recall_clean_block(launch);
    Progress progress(kernel.demangled, config.grid.count());
    launch.progress = &progress;
    if (!launch.failed()) run(launch, resident, counted);
    if (recording)
        for (const auto& worker : state_->workers) worker->neighbours.move_to(*recording);
    if (!alone) merge_totals(launch, counted);
    if (launch.global_race) {
        if (config.accesses != nullptr && !launch.failed()) add_accessed_ranges(launch);
        launch.global_race->end_launch();
        if (launch.global_race->had_unexpected_write()) kernel.written.anywhere = true;
    }
    if (launch.reads != nullptr) launch.reads->clear();
    state_->shared_log.end_launch();
    state_->keep_trace();
    return static_cast<Status>(launch.status.load());
}

void Device::State::allocate_grid_workspace() {
    constexpr u64 bytes = 4096;
    grid_workspace = memory.allocate(bytes, AllocationKind::variable, "grid barrier");
    if (u8* view = memory.host_view(grid_workspace, bytes)) std::memset(view, 0, bytes);
    memory.mark_written(grid_workspace, bytes);
}

/// Keeps the steps of a traced launch, if there was one.
void Device::State::keep_trace() {
    if (tracer) trace_keeper().keep(tracer->finish());
    tracer.reset();
    traced_launch.reset();
}

void Device::begin_race_check(Launch& launch) {
    if (!launch.checks.global_race) return;
    if (!state_->global_race)
        state_->global_race = std::make_unique<GlobalRace>(state_->memory.range());
    launch.global_race = state_->global_race.get();
    launch.global_race->begin_launch(*launch.kernel, launch.config.grid, launch.config.block,
                                     *launch.allocations, launch.config.cooperative);
    if (launch.kernel->written.anywhere) return;
    if (auto written = find_written_allocations(launch))
        launch.global_race->expect_writes(std::move(*written));
}

namespace {

/// Reports whether the launch's ReadMarks contain all reads of memory that the kernel does not
/// write. Asynchronous copies and loads of matrices set no marks, because the shadow of the race
/// check records their reads.
bool marks_all_reads(const Kernel& kernel) {
    return std::none_of(kernel.sites.begin(), kernel.sites.end(), [](const Site& site) {
        if (!site.load || site.space == ptx::StateSpace::shared) return false;
        const std::string& opcode = site.function->body[site.instruction].opcode;
        return opcode != "ld" && opcode != "ldu";
    });
}

}  // namespace

/// Adds the bytes that the launch has accessed, in allocations to which its parameters point, to
/// the accessed ranges of its configuration.
void Device::add_accessed_ranges(const Launch& launch) {
    std::set<const Allocation*> allocations;
    const bool skips_read_only = launch.reads != nullptr && marks_all_reads(*launch.kernel) &&
                                 !launch.global_race->had_unexpected_write();
    for (std::size_t at = 0; at + sizeof(u64) <= launch.parameters.size(); at += sizeof(u64)) {
        u64 pointer;
        std::memcpy(&pointer, launch.parameters.data() + at, sizeof pointer);
        const Allocation* found = launch.allocations->find(pointer);
        const bool is_shared_memory = found != nullptr && found->to_host == 0;
        if (found != nullptr && (is_shared_memory || !launch.config.wants_shared_memory_only))
            allocations.insert(found);
    }
    for (const Allocation* allocation : allocations) {
        if (skips_read_only && launch.global_race->is_read_only(*allocation)) continue;
        if (state_->memory.is_device_range(allocation->begin))
            launch.global_race->add_accessed_ranges(allocation->begin, allocation->end,
                                                    *launch.config.accesses);
    }
    if (launch.reads != nullptr) launch.reads->add_to(*launch.config.accesses, *launch.kernel);
    launch.config.accesses->sort();
}

void Device::describe_launch(Launch& launch, Kernel& kernel, const LaunchConfig& config,
                             void** arguments) {
    launch.kernel = &kernel;
    launch.code = (config.has_clusters() ? kernel.cluster_code : kernel.code).get();
    launch.config = config;
    launch.memory = &state_->memory;
    launch.allocations = state_->memory.table_for(config.accessible_devices);
    launch.checks = options().checks;
    launch.parameters = pack_parameters(kernel, arguments);
    launch.instruction_limit = options().max_instructions;
    launch.number = state_->launches++;
    if (const u64 seed = options().seed) {
        // Also make the clock depend on the seed, because results must not depend on the time.
        state_->clock += seed % (u64{1} << 40);
        launch.cycles_per_instruction += 1 + seed % 7;
    }
    launch.started_at = state_->clock;
    launch.stack_limit = stack_limit;
    launch.grid_workspace = state_->grid_workspace;
}

namespace {

/// Returns a key that is the same for launches of the same kernel with the same arguments, shape
/// and checks.
std::string make_launch_key(const Launch& launch) {
    std::string key(launch.parameters.begin(), launch.parameters.end());
    const auto add = [&key](const auto& value) {
        key.append(reinterpret_cast<const char*>(&value), sizeof value);
    };
    add(launch.kernel);
    add(launch.config.grid);
    add(launch.config.block);
    add(launch.config.cluster);
    add(launch.config.dynamic_shared);
    add(launch.checks.race);
    add(launch.checks.init);
    return key;
}

}  // namespace

/// Reports whether this launch is counted but not checked, because enough launches with the same
/// arguments have already been checked (see Options::sample).
bool Device::should_skip_checks(const Launch& launch) {
    // Limit the size of the table, because a program may make any number of different launches.
    constexpr std::size_t kMostKept = 1 << 16;
    if (state_->launch_counts.size() >= kMostKept) return false;
    if (++state_->launch_counts[make_launch_key(launch)] <= options().sample) return false;
    ++launch.kernel->totals.unchecked_launches;
    return true;
}

/// Keeps the clean block of this launch. If the next launch has the same key, its blocks are
/// compared with that block.
void Device::State::remember_clean_block(const Launch& launch) {
    constexpr std::size_t kMostKernels = 64, kMostSteps = 1 << 16;
    if (!launch.clean_block || launch.clean_block->order.size() > kMostSteps) return;
    if (clean.size() >= kMostKernels) clean.clear();
    // A block may compute addresses from values that are set before it begins. Of these values,
    // only %gridid differs from launch to launch.
    const auto* launch_number = find_special_register("%gridid");
    for (const SpecialSlot& s : launch.kernel->code->launch_specials)
        if (s.special == launch_number) return;
    clean[launch.kernel] = {launch.kernel->code, make_launch_key(launch), launch.clean_block};
}

void Device::State::recall_clean_block(Launch& launch) const {
    const auto found = clean.find(launch.kernel);
    if (found == clean.end() || found->second.code != launch.kernel->code ||
        found->second.key != make_launch_key(launch))
        return;
    launch.clean_block = found->second.steps;
}

namespace {

/// The launch that runs the sampled blocks, and the log that records them.
struct SampledBlocksRun {
    SampledBlocksRun(const Kernel& kernel, timing::Recording& recording)
        : log(kernel, *kernel.plain_code, recording) {}

    StepLog log;
    Launch launch;
};

/// Chooses the neighbouring blocks that the launch records, based on the recording of the sampled
/// blocks.
void choose_neighbours(Launch& launch, timing::Recording& recording, u64 resident) {
    const auto neighbours = Recorder::neighbours(recording, resident);
    std::tie(launch.first_neighbour, launch.neighbours) = neighbours;
    std::tie(launch.first_below, launch.below) = Recorder::below(recording, neighbours);
    recording.neighbours = launch.neighbours;
}

void run_with_worker(Worker& worker, Launch& launch, RaceLog& shared_log, u64 resident,
                     std::vector<WorkerTotals>& counted) {
    worker.begin_launch(launch, shared_log, options().seed, resident);
    worker.run();
    // A dry run may abandon the block early, so it cannot serve as a clean block.
    if (!launch.is_dry_run) launch.clean_block = worker.clean_block();
    worker.end_launch();
    counted.push_back(std::move(worker.totals));
}

}  // namespace

/// Runs the sampled blocks and records each step. `launch` does not run these blocks again. If
/// blocks can observe the order in which they run, each sampled block runs when its turn comes.
/// Otherwise, all sampled blocks run before the other blocks.
void Device::record(Launch& launch, timing::Recording& recording, void** arguments, u64 resident,
                    bool alone, std::vector<WorkerTotals>& counted) {
    Kernel& kernel = *launch.kernel;
    if (!kernel.plain_code) kernel.plain_code = lower_plainly(kernel);
    if (!kernel.plain_code) return;
    const auto chosen = std::make_shared<SampledBlocksRun>(kernel, recording);
    describe_launch(chosen->launch, kernel, launch.config, arguments);
    chosen->launch.code = kernel.plain_code.get();
    chosen->launch.checks = launch.checks;
    chosen->launch.global_race = launch.global_race;
    chosen->launch.number = launch.number;
    chosen->launch.is_dry_run = recorder().mode() == Recorder::RecordMode::alone;
    chosen->launch.recorder = &chosen->log;
    const auto run_chosen = [=, this, &launch, &recording, &counted](std::vector<u64> blocks) {
        chosen->launch.only = std::move(blocks);
        chosen->launch.next_block = 0;
        run_with_worker(state_->recording_worker, chosen->launch, state_->shared_log, resident,
                        counted);
        if (chosen->launch.failed()) launch.fail(static_cast<Status>(chosen->launch.status.load()));
        launch.clean_block = chosen->launch.clean_block;
        choose_neighbours(launch, recording, resident);
    };
    const std::vector<u64> blocks = Recorder::choose_blocks(launch.config, resident);
    if (!alone) launch.skipped_blocks = blocks;
    if (!alone && launch.code->order_sensitive) {
        launch.run_skipped_block = [run_chosen](u64 block) { run_chosen({block}); };
        return;
    }
    const auto leave_out = [&launch, alone](const std::vector<u64>& also) {
        if (!alone)
            launch.skipped_blocks.insert(launch.skipped_blocks.end(), also.begin(), also.end());
    };
    run_chosen(blocks);
    if (const auto others = Recorder::choose_blocks_near_first(launch.config, recording,
                                                               reads_grid_size(*kernel.ast));
        !others.empty()) {
        leave_out(others);
        run_chosen(others);
    }
    if (const std::vector<u64> more = Recorder::choose_more_blocks(launch.config, recording);
        !more.empty()) {
        recording.recorded.clear();
        leave_out(more);
        run_chosen(more);
    }
    if (!alone) return;
    launch.only.resize(launch.neighbours + launch.below);
    const auto below = launch.only.begin() + static_cast<std::ptrdiff_t>(launch.neighbours);
    std::iota(launch.only.begin(), below, launch.first_neighbour);
    std::iota(below, launch.only.end(), launch.first_below);
}

/// Runs the traced block and records each step. `launch` does not run this block again. If the
/// caller wants to trace the block that stores to a certain address, runs one block after another
/// in this way until one of them has stored to it.
void Device::trace(Launch& launch, const TraceRequest& request, void** arguments, u64 resident,
                   std::vector<WorkerTotals>& counted) {
    Kernel& kernel = *launch.kernel;
    const u64 blocks = launch.config.grid.count();
    if (!kernel.plain_code) kernel.plain_code = lower_plainly(kernel);
    if (launch.config.has_clusters() || !kernel.plain_code)
        return trace_keeper().fail("a launch with clusters cannot be traced");
    if (request.block >= blocks)
        return trace_keeper().fail("the grid has only " + std::to_string(blocks) + " blocks");
    const bool blocks_wait = launch.config.cooperative || launch.code->order_sensitive;
    const auto run_traced = [&](u64 block) {
        auto traced = std::make_unique<Launch>();
        describe_launch(*traced, kernel, launch.config, arguments);
        traced->code = kernel.plain_code.get();
        traced->checks = launch.checks;
        traced->global_race = launch.global_race;
        traced->number = launch.number;
        state_->tracer = std::make_unique<BlockTracer>(*traced, block, request.steps);
        traced->recorder = state_->tracer.get();
        if (blocks_wait)
            traced->recorded_block = block;
        else
            traced->only = {block};
        run_with_worker(state_->recording_worker, *traced, state_->shared_log, resident, counted);
        state_->tracer->end_block();
        if (traced->failed()) launch.fail(static_cast<Status>(traced->status.load()));
        state_->traced_launch = std::move(traced);
        launch.skipped_blocks.push_back(block);
    };
    run_traced(request.block);
    for (u64 block = 0; block < blocks && request.stored_address && !blocks_wait; ++block) {
        if (launch.failed() || state_->tracer->has_stored_to(request.stored_address)) break;
        if (block != request.block) run_traced(block);
    }
    if (request.stored_address) state_->tracer->mark_last_store(request.stored_address);
    // If blocks wait for each other, they have all run together, so no block is left to run.
    if (blocks_wait) launch.next_block = blocks;
}

/// Runs the blocks of the launch on as many workers as allowed.
void Device::run(Launch& launch, u64 resident, std::vector<WorkerTotals>& counted) {
    const u32 count = worker_count(*launch.code, launch.config);
    std::vector<std::unique_ptr<Worker>>& workers = state_->workers;
    while (workers.size() < count) workers.push_back(std::make_unique<Worker>());
    for (u32 k = 0; k < count; ++k)
        workers[k]->begin_launch(launch, state_->shared_log, options().seed, resident);
    std::vector<std::thread> threads;
    for (u32 k = 1; k < count; ++k) threads.emplace_back([&, k] { workers[k]->run(); });
    workers[0]->run();
    for (std::thread& t : threads) t.join();
    for (u32 k = 0; k < count; ++k) {
        if (!launch.clean_block) launch.clean_block = workers[k]->clean_block();
        workers[k]->end_launch();
        counted.push_back(std::move(workers[k]->totals));
    }
    if (!launch.failed() && !launch.is_dry_run) state_->remember_clean_block(launch);
}

/// Adds up the counters of all blocks, unless an error has stopped the launch.
void Device::merge_totals(const Launch& launch, const std::vector<WorkerTotals>& counted) {
    Kernel& kernel = *launch.kernel;
    ++(launch.failed() ? kernel.totals.stopped : kernel.totals.launches);
    kernel.totals.grid = launch.config.grid;
    kernel.totals.block = launch.config.block;
    state_->clock += 1000 + launch.skipped_cycles;
    if (launch.failed()) return;
    for (const WorkerTotals& totals : counted) {
        add_totals(kernel, totals);
        state_->clock += totals.instructions;
    }
}

}  // namespace coalesce::simulator
