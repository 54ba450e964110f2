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

void enable_checks(const LoadedKernel& kernel, const TrialRequest& order, double warps) {
    if (!simulator_library::is_loaded()) return;
    // When a single warp is recorded, the instruction budget of a one-element matrix is more than
    // enough, even if the kernel never finishes.
    const Shape counted = order.traced.limit > 0 && warps > 1 ? Shape{1, 1} : order.shape;
    std::uint64_t most =
        instruction_budget(counted, warps, kernel.prints()) + order.more_instructions;
    if (order.max_instructions > 0) most = std::min(most, order.max_instructions);
    simulated::prepare(order.watch == Watch::everything ? "all" : "none", most);
}

/// Copies the simulator's records into the trial, and resets them for the next launch.
void collect_records(const LoadedKernel& kernel, const TrialRequest& order, Trial& trial) {
    trial.reports = simulated::reports(kernel.file_name());
    std::vector<LineCounters> lines = simulated::lines_of(kernel.name());
    for (const LineCounters& line : lines) {
        if (line.counters.store_requests + line.counters.atomic_requests == 0) continue;
        trial.store_line = line.line;
        break;
    }
    const Counters counters = simulated::counters_of(kernel.name());
    trial.instructions = counters.warp_instructions;
    trial.print_calls = SIMULATOR_FUNCTION(coalesceGetPrintCalls)();
    if (order.wants_counters) {
        trial.counters = counters;
        trial.lines = std::move(lines);
    }
    if (order.traced.limit > 0 && trial.is_launched) trial.accesses = simulated::traced();
    simulator_library::clear_reports();
}

void launch(LoadedKernel& kernel, const TrialRequest& order,
            const std::vector<std::uint64_t>& arguments, Trial& trial) {
    const TracedWarp& traced = order.traced;
    if (traced.limit > 0)
        SIMULATOR_FUNCTION(coalesceTraceWarp)(traced.block, traced.warp, traced.limit);
    if (const TracedBlock& block = order.traced_block; block.steps > 0) {
        const std::uint64_t stored =
            block.stored_byte ? arguments.at(block.stored_byte->first) + block.stored_byte->second
                              : 0;
        SIMULATOR_FUNCTION(coalesceTraceSteps)(0, block.block, stored, block.steps);
    }
    LaunchShape launched = trial.launch;
    // If the kernel declares no array in dynamic shared memory, it can access this memory only by
    // an overrun. Do not allocate the memory, so that memcheck reports the overrun.
    if (simulator_library::is_loaded() && !kernel.has_dynamic_array()) launched.shared_bytes = 0;
    trial.error = kernel.launch(launched, arguments);
    if (trial.error == cudaSuccess) trial.error = wait_until_idle(trial.is_hung);
    trial.is_launched = true;
    static_cast<void>(cudaGetLastError());
    if (order.traced_block.steps > 0) {
        trial.block_trace = simulated::block_trace();
        SIMULATOR_FUNCTION(coalesceTraceSteps)(0, 0, 0, 0);
    }
}

}  // namespace

Trial launch_once(LoadedKernel& kernel, const TrialRequest& order,
                  const std::function<Matrices()>& make_matrices) {
    Matrices matrices;
    const auto make_arguments = [&]() -> std::vector<std::uint64_t> {
        matrices = make_matrices();
        return {address_of(matrices.out), address_of(matrices.in),
                static_cast<std::uint64_t>(order.shape.rows),
                static_cast<std::uint64_t>(order.shape.cols)};
    };
    Trial trial = launch_once(kernel, order, make_arguments);
    trial.out_address = address_of(matrices.out);
    trial.in_address = address_of(matrices.in);
    return trial;
}

Trial launch_once(LoadedKernel& kernel, const TrialRequest& order,
                  const std::function<std::vector<std::uint64_t>()>& make_arguments) {
    const bool is_simulated = simulator_library::is_loaded();
    Trial trial;
    trial.shape = order.shape;
    trial.launch_failure = kernel.problem();
    if (trial.launch_failure.kind != FailureKind::none) return trial;
    if (is_simulated) {
        simulator_library::reset_counters();
        SIMULATOR_FUNCTION(coalesceSetOrder)(order.seed);
    }
    enable_checks(kernel, order, 1);
    auto shape = kernel.configure(order.shape, trial.launch_failure);
    if (shape && order.block[0] > 0) shape->block = order.block;
    if (shape && order.shared_bytes > 0) shape->shared_bytes = order.shared_bytes;
    if (shape) trial.launch_failure = find_oversized_grid(*shape, order.shape, kernel.file_name());
    if (trial.launch_failure.kind == FailureKind::none) {
        trial.launch = *shape;
        enable_checks(kernel, order, thread_count(*shape) / 32);
        launch(kernel, order, make_arguments(), trial);
    }
    if (is_simulated) {
        collect_records(kernel, order, trial);
        SIMULATOR_FUNCTION(coalesceSetOrder)(0);
    }
    if (order.traced.limit > 0) SIMULATOR_FUNCTION(coalesceTraceWarp)(0, 0, 0);
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
        const std::string image = guard + argument.bytes + guard;
        Buffer& buffer =
            buffers_.emplace_back(Buffer{DeviceBuffer(image.size()), argument.bytes.size()});
        CUDA_CHECK(
            cudaMemcpy(buffer.memory.data(), image.data(), image.size(), cudaMemcpyHostToDevice));
        char* const data = static_cast<char*>(buffer.memory.data()) + guard_bytes;
        if (argument.is_unwritten && simulator_library::is_loaded()) {
            simulated::mark_unwritten(data, argument.bytes.size());
        }
        arguments_.push_back(address_of(data));
    }
}

std::vector<ArrayAfter> DeviceArrays::addresses() const {
    std::vector<ArrayAfter> arrays;
    for (const Buffer& buffer : buffers_) {
        arrays.push_back({.address = address_of(buffer.memory.data()) + guard_bytes_});
    }
    return arrays;
}

std::vector<ArrayAfter> DeviceArrays::read() const {
    std::vector<ArrayAfter> arrays = addresses();
    const std::string guard(guard_bytes_, static_cast<char>(kGuardByte));
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
        std::string image(buffers_[i].memory.bytes(), '\0');
        CUDA_CHECK(cudaMemcpy(image.data(), buffers_[i].memory.data(), image.size(),
                              cudaMemcpyDeviceToHost));
        const std::size_t end = guard_bytes_ + buffers_[i].bytes;
        arrays[i].is_written_before = image.compare(0, guard_bytes_, guard) != 0;
        arrays[i].is_written_after = image.compare(end, guard_bytes_, guard) != 0;
        arrays[i].bytes = image.substr(guard_bytes_, buffers_[i].bytes);
    }
    return arrays;
}

}  // namespace coalesce
