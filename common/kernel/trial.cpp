#include "kernel/trial.h"

#include <chrono>
#include <memory>
#include <thread>

#include "kernel/launch_limits.h"

namespace coalesce {
namespace {

/// Waits for the device, for a limited time where it may be hung.
cudaError_t wait_for_end(const TrialConditions& conditions, bool& is_hung) {
    if (conditions.is_simulated) return cudaDeviceSynchronize();
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::seconds(conditions.seconds_on_gpu);
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

int first_store_line(const std::string& kernel) {
    for (const simulated::Line& line : simulated::lines_of(kernel)) {
        if (line.counters.store_requests > 0) return line.number;
    }
    return 0;
}

void watch_as(Watch watch, const TrialConditions& conditions, std::uint64_t most_instructions) {
    if (!conditions.is_simulated) return;
    simulated::prepare(watch == Watch::everything ? "all" : "none", most_instructions);
}

/// Takes what the simulator noted, and makes it ready for the next launch.
void take_notes(Trial& trial, const TrialConditions& conditions) {
    if (!conditions.is_simulated) return;
    trial.reports = simulated::reports(conditions.file_name);
    trial.store_line = first_store_line(conditions.kernel);
    simulator::forget_reports();
}

}  // namespace

Trial run_trial(LoadedKernel& kernel, const TrialConditions& conditions, Shape shape, Watch watch,
                const TracedWarp& traced) {
    Trial trial;
    trial.shape = shape;
    if (conditions.is_simulated) simulator::reset_counters();
    watch_as(watch, conditions, instruction_budget(shape, 1));
    auto launch = kernel.configure(shape, trial.refused);
    if (launch) trial.refused = far_too_large(*launch, shape, conditions.file_name);
    if (!launch || trial.refused.kind != FailureKind::none) {
        take_notes(trial, conditions);
        return trial;
    }
    trial.launch = *launch;
    // One warp is seen long before a kernel that never ends would be stopped.
    const Shape counted = traced.limit > 0 ? Shape{1, 1} : shape;
    watch_as(watch, conditions, instruction_budget(counted, threads_of(*launch) / 32));
    // Guard bands would hide from the simulator what is touched outside.
    const bool is_bare = conditions.is_simulated && watch == Watch::everything;
    auto buffers = std::make_unique<VerifiedBuffers>(Problem{.rows = shape.rows,
                                                             .cols = shape.cols,
                                                             .produces = conditions.produces,
                                                             .seed = conditions.seed},
                                                     is_bare ? 0 : VerifiedBuffers::usual_guard);
    buffers->prepare();
    trial.out_address = reinterpret_cast<std::uint64_t>(buffers->out());
    trial.in_address = reinterpret_cast<std::uint64_t>(buffers->in());
    if (traced.limit > 0) simulated::trace(traced.block, traced.warp, traced.limit);
    // In place the matrix is the first argument; who reads the second one reads nothing.
    const float* in = conditions.produces.in_place ? nullptr : buffers->in();
    trial.error = kernel.launch(trial.launch, buffers->out(), in, shape);
    if (trial.error == cudaSuccess) trial.error = wait_for_end(conditions, trial.is_hung);
    static_cast<void>(cudaGetLastError());
    if (traced.limit > 0) {
        trial.accesses = simulated::traced();
        simulated::trace(0, 0, 0);
    }
    take_notes(trial, conditions);
    if (trial.is_hung) {
        // Freeing would wait for the kernel, which never ends.
        kernel.abandon();
        static_cast<void>(buffers.release());
    } else if (trial.error == cudaSuccess) {
        trial.comparison = buffers->check();
    }
    return trial;
}

}  // namespace coalesce
