// Implements coalesce_simulator.h, the interface through which test harnesses and checkers query
// the simulator.
#include <algorithm>
#include <vector>

#include "simulator/base/coalesce_simulator.h"
#include "simulator/base/device_model.h"
#include "simulator/base/options.h"
#include "simulator/cudart/api.h"
#include "simulator/device/device.h"
#include "simulator/execute/device_calls.h"
#include "simulator/execute/recorder.h"
#include "simulator/execute/trace.h"
#include "simulator/profile/json.h"
#include "simulator/profile/kernel_table.h"
#include "simulator/report/reports.h"
#include "simulator/trace/trace_keeper.h"
#include "timing/predict.h"
#include "timing/prediction_text.h"

using namespace coalesce::simulator;

namespace {

/// The results of the last calls to coalesceGetKernels and coalesceGetReports. The pointers that
/// the caller receives refer to strings in these lists. Each thread has its own lists, so that a
/// call in one thread does not invalidate pointers in another.
thread_local std::vector<KernelRow> returned_kernels;
thread_local std::vector<Report> returned_reports;

void copy_dim3(Dim3 from, unsigned (&to)[3]) {
    to[0] = from.x;
    to[1] = from.y;
    to[2] = from.z;
}

/// Adds a request of a recorded block to the counters. An asynchronous copy counts as a load from
/// global memory and as a store to shared memory.
void add_request(const coalesce::timing::RecordedBlock& block,
                 const coalesce::timing::Access& access, CoalesceCounters& to) {
    using coalesce::timing::AccessKind;
    uint64_t sectors = 0;
    for (uint32_t i = 0; i < access.runs; ++i) sectors += block.runs[access.first_run + i].count;
    const auto add_to = [](uint64_t& requests, uint64_t& cost_sum, uint64_t cost) {
        ++requests;
        cost_sum += cost;
    };
    switch (access.kind) {
        case AccessKind::load:
        case AccessKind::copy_from: return add_to(to.load_requests, to.load_sectors, sectors);
        case AccessKind::store: return add_to(to.store_requests, to.store_sectors, sectors);
        case AccessKind::atomic: return add_to(to.atomic_requests, to.atomic_sectors, sectors);
        case AccessKind::shared_load:
            return add_to(to.shared_load_requests, to.shared_load_wavefronts, access.passes);
        case AccessKind::shared_store:
        case AccessKind::copy_to:
            return add_to(to.shared_store_requests, to.shared_store_wavefronts, access.passes);
        case AccessKind::shared_atomic:
            return add_to(to.shared_atomic_requests, to.shared_atomic_wavefronts, access.passes);
        case AccessKind::local_load:
        case AccessKind::local_store: return;  // no counter includes local memory
    }
}

void add_block_costs(const coalesce::timing::RecordedBlock& block, CoalesceSampledCosts& to) {
    ++to.sampled_blocks;
    uint64_t stored_bytes = 0;
    for (const coalesce::timing::WarpPath& warp : block.warps) {
        // The accesses of the steps beyond the recorded ones are unknown, so do not count these
        // steps.
        to.counters.warp_instructions += warp.steps.size();
        if (warp.executed_steps > warp.steps.size()) to.is_all = 0;
    }
    for (const coalesce::timing::Access& access : block.accesses) {
        add_request(block, access, to.counters);
        if (access.kind == coalesce::timing::AccessKind::store ||
            access.kind == coalesce::timing::AccessKind::atomic)
            stored_bytes += uint64_t{access.lanes} * access.bytes_per_lane;
    }
    to.stored_bytes += stored_bytes;
    to.most_stored_bytes = std::max(to.most_stored_bytes, stored_bytes);
}

}  // namespace

int coalesceSimulatorVersion(void) {
    return COALESCE_SIMULATOR_VERSION;
}

const char* coalesceDeviceName(void) {
    return DeviceModel::name;
}

void coalesceResetCounters(void) {
    returned_kernels.clear();
    if (PredictedTimes* times = predicted_times()) times->clear();
    delete_unloaded_modules();
    printf_call_count() = 0;
    clear_counters();
}

size_t coalesceGetKernels(void) {
    returned_kernels = make_kernel_table(list_kernels());
    return returned_kernels.size();
}

int coalesceGetKernel(size_t index, CoalesceKernel* kernel) {
    if (index >= returned_kernels.size() || !kernel) return -1;
    const KernelRow& row = returned_kernels[index];
    kernel->name = row.name.c_str();
    kernel->launches = row.launches;
    copy_dim3(row.grid, kernel->grid);
    copy_dim3(row.block, kernel->block);
    kernel->counters = row.counters;
    return 0;
}

size_t coalesceGetLineCount(size_t index) {
    return index < returned_kernels.size() ? returned_kernels[index].lines.size() : 0;
}

int coalesceGetLine(size_t index, size_t line, CoalesceLine* result) {
    if (line >= coalesceGetLineCount(index) || !result) return -1;
    const LineRow& row = returned_kernels[index].lines[line];
    result->file = row.place.file.c_str();
    result->line = row.place.line;
    result->counters = row.counters;
    return 0;
}

int coalesceGetSpecialRequests(size_t index, CoalesceSpecialRequests* requests) {
    if (index >= returned_kernels.size() || !requests) return -1;
    *requests = returned_kernels[index].special_requests;
    return 0;
}

int coalesceGetCounters(const char* name, CoalesceCounters* counters) {
    if (!counters) return -1;
    const auto has_name = [&](const KernelRow& row) { return !name || row.name == name; };
    coalesceGetKernels();
    const auto found = std::find_if(returned_kernels.begin(), returned_kernels.end(), has_name);
    if (found == returned_kernels.end()) return -1;
    if (std::find_if(std::next(found), returned_kernels.end(), has_name) !=
        returned_kernels.end()) {
        return -1;
    }
    *counters = found->counters;
    return 0;
}

void coalesceTraceWarp(uint64_t block, unsigned warp, size_t limit) {
    trace().begin(block, warp, limit);
}

size_t coalesceGetAccessCount(void) {
    return trace().accesses().size();
}

int coalesceGetAccess(size_t index, CoalesceAccess* result) {
    if (index >= trace().accesses().size() || !result) return -1;
    const TracedAccess& access = trace().accesses()[index];
    result->file = access.place.file.c_str();
    result->line = access.place.line;
    result->shared = access.is_shared;
    result->store = access.is_store;
    result->bytes_per_lane = access.bytes_per_lane;
    result->active = access.active;
    std::copy(std::begin(access.addresses), std::end(access.addresses), result->addresses);
    result->cost = access.cost;
    result->ideal = access.ideal_cost;
    return 0;
}

void coalesceTraceSteps(uint64_t launch, uint64_t block, uint64_t stored_address, uint64_t limit) {
    trace_keeper().request_trace(
        {.launch = launch, .block = block, .steps = limit, .stored_address = stored_address});
}

int coalesceGetTrace(void (*write)(const char* text, size_t size, void* user), void* user) {
    if (!write) return -1;
    const auto& trace = trace_keeper().trace();
    const std::string text = trace ? to_json(*trace) : trace_keeper().problem();
    write(text.data(), text.size(), user);
    return trace ? 0 : -1;
}

void coalesceRecord(int what) {
    recorder().begin_recording(what == coalesceRecordBeside   ? Recorder::RecordMode::beside
                               : what == coalesceRecordAlone  ? Recorder::RecordMode::alone
                               : what == coalesceRecordSample ? Recorder::RecordMode::sample
                                                              : Recorder::RecordMode::nothing);
}

int coalescePredict(const char* gpu, void (*write)(const char* text, size_t size, void* user),
                    void* user) {
    if (!gpu || !write) return -1;
    cudart::CurrentCall call("coalescePredict");
    try {
        const coalesce::timing::Gpu gpu_model = coalesce::timing::parse_or_find_gpu(gpu);
        coalesce::timing::Predictions predictions;
        for (const coalesce::timing::Recording& recording : recorder().recordings())
            predictions.launches.push_back(coalesce::timing::predict(recording, gpu_model));
        const std::string text = coalesce::timing::write_predictions(predictions);
        write(text.data(), text.size(), user);
        return 0;
    } catch (const std::exception& error) {
        cudart::explain(error.what());
        return -1;
    }
}

uint64_t coalesceGetTouched(int stores,
                            void (*take_range)(uint64_t address, uint64_t bytes, void* user),
                            void* user, int* is_all) {
    using namespace coalesce::timing;
    uint64_t moved_bytes = 0;
    *is_all = 1;
    const auto add_block = [&](const RecordedBlock& block) {
        for (const WarpPath& warp : block.warps)
            *is_all &= warp.executed_steps <= warp.steps.size();
        for (const auto& access : block.accesses) {
            // An atomic also reads the memory that it changes, so count it as a load.
            const bool is_load = access.kind == AccessKind::load ||
                                 access.kind == AccessKind::copy_from ||
                                 access.kind == AccessKind::atomic;
            if (stores ? access.kind != AccessKind::store : !is_load) continue;
            moved_bytes += uint64_t{access.lanes} * access.bytes_per_lane;
            for (std::uint32_t i = 0; i < access.runs; ++i) {
                const SectorRun& run = block.runs[access.first_run + i];
                take_range(run.first * kSectorBytes, uint64_t{run.count} * kSectorBytes, user);
            }
        }
    };
    for (const Recording& recording : recorder().recordings()) {
        for (const RecordedBlock& block : recording.recorded_blocks) add_block(block);
    }
    return moved_bytes;
}

void coalesceGetSampledCosts(CoalesceSampledCosts* costs) {
    *costs = {};
    costs->is_all = 1;
    for (const coalesce::timing::Recording& recording : recorder().recordings()) {
        costs->grid_blocks += recording.blocks;
        for (const coalesce::timing::RecordedBlock& block : recording.recorded_blocks)
            add_block_costs(block, *costs);
    }
}

size_t coalesceGetReports(void) {
    returned_reports = reports().all();
    return returned_reports.size();
}

int coalesceGetReport(size_t index, CoalesceReport* result) {
    if (index >= returned_reports.size() || !result) return -1;
    const Report& report = returned_reports[index];
    result->check = report.check.c_str();
    result->kind = report.kind.c_str();
    result->file = report.where.file.c_str();
    result->line = report.where.line;
    result->kernel = report.kernel.c_str();
    copy_dim3(report.block, result->block);
    copy_dim3(report.thread, result->thread);
    result->address = report.address;
    result->count = report.count;
    result->message = report.message.c_str();
    result->cure = report.cure.c_str();
    result->other_file = report.other.file.c_str();
    result->other_line = report.other.line;
    copy_dim3(report.other_block, result->other_block);
    copy_dim3(report.other_thread, result->other_thread);
    return 0;
}

void coalesceClearReports(void) {
    reports().clear();
}

int coalesceSetChecks(const char* list) {
    cudart::CurrentCall call("coalesceSetChecks");
    const std::string problem = set_checks(options().checks, list ? list : "");
    if (problem.empty()) return 0;
    cudart::explain(problem + ".");
    return -1;
}

void coalesceSetMaxInstructions(uint64_t warp_instructions) {
    options().max_instructions = warp_instructions;
}

void coalesceSetOrder(uint64_t seed) {
    options().seed = seed;
}

void coalesceDrawSample(uint64_t seed) {
    options().sample_seed = seed;
}

void coalesceSetPrinting(int prints) {
    options().has_printf = prints != 0;
}

uint64_t coalesceGetPrintCalls(void) {
    return printf_call_count();
}

void coalesceSetQuiet(int quiet) {
    options().is_quiet = quiet != 0;
    reports().print_immediately(quiet == 0);
}

void coalesceMarkUnwritten(uint64_t address, uint64_t bytes) {
    cudart::CurrentCall call("coalesceMarkUnwritten");
    Device::instance().memory().mark_unwritten(address, bytes);
}

int coalesceDrawAddresses(uint64_t seed) {
    return Device::instance().memory().draw_addresses(seed) ? 0 : -1;
}

void coalesceClearError(void) {
    cudart::reset_failed_context();
}

void coalesceReportJson(void (*write)(const char* text, size_t size, void* user), void* user) {
    if (!write) return;
    const std::string text = to_json(DeviceModel::name, make_kernel_table(list_kernels()),
                                     reports().all(), predicted_times());
    write(text.data(), text.size(), user);
}
