#include "examiner/trial.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "examiner/launch_limits.h"
#include "examiner/loaded_kernel.h"
#include "harness/errors.h"
#include "harness/pattern.h"
#include "harness/simulator_function.h"

namespace coalesce {
namespace {

/// Waits until the device is idle. Gives up after ten seconds and sets `is_hung`, because the
/// kernel may never finish.
cudaError_t wait_until_idle(bool& is_hung) {
    if (simulator_library::is_loaded()) return cudaDeviceSynchronize();
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::seconds longest(10);
    const auto end = Clock::now() + longest;
    for (;;) {
        const cudaError_t state = cudaStreamQuery(nullptr);
        if (state != cudaErrorNotReady) {
            return state == cudaSuccess ? cudaDeviceSynchronize() : state;
        }
        if (Clock::now() >= end) {
            is_hung = true;
            return cudaErrorLaunchTimeout;
        }
        std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
}

void enable_checks(const LoadedKernel& kernel, const TrialRequest& request, double warps) {
    if (!simulator_library::is_loaded()) return;
    // When a single warp is recorded, the instruction budget of a one-element matrix is more than
    // enough, even if the kernel never finishes.
    const Shape counted_shape = request.traced.limit > 0 && warps > 1 ? Shape{1, 1} : request.shape;
    std::uint64_t instruction_limit =
        instruction_budget(counted_shape, warps, kernel.can_print()) + request.more_instructions;
    if (request.max_instructions > 0)
        instruction_limit = std::min(instruction_limit, request.max_instructions);
    simulated::prepare(request.watch == Watch::everything ? "all" : "none", instruction_limit);
}

/// One poll of a value in shared memory is allowed for each group of this many elements, without
/// being counted as a load. A warp that waits for others polls their counter, and reads a few
/// different values before it continues. A poll reads up to 8 bytes, so a kernel could read an
/// eighth of its elements in this way, which is too little to avoid the cost of the others.
constexpr double kElementsPerPoll = 16;

/// Copies the simulator's records into the trial, and resets them for the next launch.
void collect_records(const LoadedKernel& kernel, const TrialRequest& request, Trial& trial) {
    trial.reports = simulated::reports(kernel.file_name());
    std::vector<LineCounters> lines = simulated::read_line_counters(kernel.name());
    for (const LineCounters& line : lines) {
        if (line.counters.store_requests + line.counters.atomic_requests == 0) continue;
        trial.store_line = line.line;
        break;
    }
    const Counters counters = simulated::read_counters(
        kernel.name(), static_cast<std::uint64_t>(element_count(request.shape) / kElementsPerPoll));
    trial.instructions = counters.warp_instructions;
    trial.print_call_count = SIMULATOR_FUNCTION(coalesceGetPrintCalls)();
    if (request.needs_counters) {
        trial.counters = counters;
        trial.bulk_copies = simulated::read_bulk_copies(kernel.name());
        trial.lines = std::move(lines);
    }
    if (request.traced.limit > 0 && trial.is_launched) trial.accesses = simulated::traced();
    simulator_library::clear_reports();
}

void launch(LoadedKernel& kernel, const TrialRequest& request,
            const std::vector<std::uint64_t>& arguments, Trial& trial) {
    const TracedWarp& traced = request.traced;
    if (traced.limit > 0)
        SIMULATOR_FUNCTION(coalesceTraceWarp)(traced.block, traced.warp, traced.limit);
    if (const TracedBlock& block = request.traced_block; block.steps > 0) {
        const std::uint64_t stored_address =
            block.stored_byte ? arguments.at(block.stored_byte->first) + block.stored_byte->second
                              : 0;
        SIMULATOR_FUNCTION(coalesceTraceSteps)(0, block.block, stored_address, block.steps);
    }
    LaunchShape launched = trial.launch;
    // If the kernel declares no array in dynamic shared memory, it can access this memory only by
    // an overrun. Do not allocate the memory, so that memcheck reports the overrun.
    if (simulator_library::is_loaded() && !kernel.has_dynamic_array()) launched.shared_bytes = 0;
    trial.error = kernel.launch(launched, arguments);
    if (trial.error == cudaSuccess) trial.error = wait_until_idle(trial.is_hung);
    trial.is_launched = true;
    static_cast<void>(cudaGetLastError());
    if (request.traced_block.steps > 0) {
        trial.block_trace = simulated::block_trace();
        SIMULATOR_FUNCTION(coalesceTraceSteps)(0, 0, 0, 0);
    }
}

}  // namespace

Trial launch_once(LoadedKernel& kernel, const TrialRequest& request,
                  const std::function<Matrices()>& make_matrices) {
    Matrices matrices;
    const auto make_arguments = [&]() -> std::vector<std::uint64_t> {
        matrices = make_matrices();
        return {to_address(matrices.out), to_address(matrices.in),
                static_cast<std::uint64_t>(request.shape.rows),
                static_cast<std::uint64_t>(request.shape.cols)};
    };
    Trial trial = launch_once(kernel, request, make_arguments);
    trial.out_address = to_address(matrices.out);
    trial.in_address = to_address(matrices.in);
    return trial;
}

Trial launch_once(LoadedKernel& kernel, const TrialRequest& request,
                  const std::function<std::vector<std::uint64_t>()>& make_arguments) {
    const bool is_simulated = simulator_library::is_loaded();
    Trial trial;
    trial.shape = request.shape;
    trial.launch_failure = kernel.problem();
    if (trial.launch_failure.kind != FailureKind::none) return trial;
    if (is_simulated) {
        simulator_library::reset_counters();
        SIMULATOR_FUNCTION(coalesceSetOrder)(request.seed);
    }
    enable_checks(kernel, request, 1);
    auto shape = kernel.configure(request.shape, trial.launch_failure);
    if (shape && request.block[0] > 0) shape->block = request.block;
    if (shape && request.shared_bytes > 0) shape->shared_bytes = request.shared_bytes;
    if (shape)
        trial.launch_failure = find_oversized_grid(*shape, request.shape, kernel.file_name());
    if (trial.launch_failure.kind == FailureKind::none) {
        trial.launch = *shape;
        enable_checks(kernel, request, thread_count(*shape) / 32);
        launch(kernel, request, make_arguments(), trial);
    }
    if (is_simulated) {
        collect_records(kernel, request, trial);
        SIMULATOR_FUNCTION(coalesceSetOrder)(0);
    }
    if (request.traced.limit > 0) SIMULATOR_FUNCTION(coalesceTraceWarp)(0, 0, 0);
    return trial;
}

// ---- arrays ----

DeviceArrays::DeviceArrays(const std::vector<CallArgument>& arguments, std::size_t guard_bytes)
    : guard_bytes_(guard_bytes) {
    for (const CallArgument& argument : arguments) {
        if (!argument.is_array) {
            arguments_.push_back(argument.value);
            continue;
        }
        const std::string guard(guard_bytes, static_cast<char>(kGuardByte));
        const std::string guarded_bytes = guard + argument.bytes + guard;
        Buffer& buffer = buffers_.emplace_back(
            Buffer{DeviceBuffer(guarded_bytes.size()), argument.bytes.size()});
        CUDA_CHECK(cudaMemcpy(buffer.memory.data(), guarded_bytes.data(), guarded_bytes.size(),
                              cudaMemcpyHostToDevice));
        char* const data = static_cast<char*>(buffer.memory.data()) + guard_bytes;
        if (argument.is_unwritten && simulator_library::is_loaded()) {
            simulated::mark_unwritten(data, argument.bytes.size());
        }
        arguments_.push_back(to_address(data));
    }
}

std::vector<ArrayAfter> DeviceArrays::list_addresses() const {
    std::vector<ArrayAfter> arrays;
    for (const Buffer& buffer : buffers_) {
        arrays.push_back({.address = to_address(buffer.memory.data()) + guard_bytes_});
    }
    return arrays;
}

std::vector<ArrayAfter> DeviceArrays::read_arrays() const {
    std::vector<ArrayAfter> arrays = list_addresses();
    const std::string guard(guard_bytes_, static_cast<char>(kGuardByte));
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
        std::string guarded_bytes(buffers_[i].memory.bytes(), '\0');
        CUDA_CHECK(cudaMemcpy(guarded_bytes.data(), buffers_[i].memory.data(), guarded_bytes.size(),
                              cudaMemcpyDeviceToHost));
        const std::size_t end = guard_bytes_ + buffers_[i].bytes;
        arrays[i].is_written_before = guarded_bytes.compare(0, guard_bytes_, guard) != 0;
        arrays[i].is_written_after = guarded_bytes.compare(end, guard_bytes_, guard) != 0;
        arrays[i].bytes = guarded_bytes.substr(guard_bytes_, buffers_[i].bytes);
    }
    return arrays;
}

}  // namespace coalesce
