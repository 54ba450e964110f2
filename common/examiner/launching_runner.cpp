#include "examiner/loaded_kernel.h"
#include "examiner/predicted_launch.h"
#include "examiner/runner.h"
#include "harness/errors.h"

namespace coalesce {

LaunchingRunner::LaunchingRunner() {
    if (is_simulated()) simulator_library::set_quiet(true);
}

LaunchingRunner::~LaunchingRunner() = default;

std::string LaunchingRunner::device() const {
    cudaDeviceProp properties{};
    CUDA_CHECK(cudaGetDeviceProperties(&properties, 0));
    return properties.name;
}

/// Loads the kernel onto the device, unless it is still loaded from the last call.
LoadedKernel& LaunchingRunner::load_if_needed(const Compiled& kernel) {
    if (!loaded_ || loaded_ptx_ != kernel.ptx) {
        loaded_.reset();
        loaded_ = std::make_unique<LoadedKernel>(kernel);
        loaded_ptx_ = kernel.ptx;
    }
    return *loaded_;
}

Trial LaunchingRunner::run(const Compiled& kernel, const Produces& task,
                           const TrialRequest& order) {
    // Do not add guard bands, because they would hide accesses outside the matrices from the
    // simulator.
    const bool is_bare = is_simulated() && order.watch == Watch::everything;
    std::unique_ptr<VerifiedBuffers> buffers;
    const auto make_matrices = [&]() -> Matrices {
        const Problem problem{.rows = order.shape.rows, .cols = order.shape.cols, .produces = task};
        buffers = std::make_unique<VerifiedBuffers>(
            problem, is_bare ? 0 : VerifiedBuffers::kDefaultGuardBytes);
        buffers->prepare();
        // An in-place kernel receives the matrix as its first argument and null as its second.
        return {buffers->out(), task.in_place ? nullptr : buffers->in()};
    };
    LoadedKernel& it = load_if_needed(kernel);
    Trial trial = launch_once(it, order, make_matrices);
    if (trial.is_hung) {
        // Freeing memory would wait forever for a kernel that never finishes.
        it.abandon();
        static_cast<void>(buffers.release());
    } else if (trial.has_ended()) {
        trial.comparison = buffers->check();
    }
    return trial;
}

Trial LaunchingRunner::run_with(const Compiled& kernel, const std::vector<CallArgument>& arguments,
                                const TrialRequest& order) {
    // Do not add guard bands, because they would hide accesses outside the arrays from the
    // simulator.
    const bool is_bare = is_simulated() && order.watch == Watch::everything;
    std::unique_ptr<DeviceArrays> arrays;
    const auto make_arguments = [&] {
        arrays = std::make_unique<DeviceArrays>(arguments,
                                                is_bare ? 0 : VerifiedBuffers::kDefaultGuardBytes);
        return arrays->arguments();
    };
    LoadedKernel& it = load_if_needed(kernel);
    Trial trial = launch_once(it, order, make_arguments);
    if (trial.is_hung) {
        it.abandon();
        static_cast<void>(arrays.release());
    } else if (arrays) {
        trial.arrays = trial.has_ended() ? arrays->read() : arrays->addresses();
    }
    return trial;
}

std::optional<Predicted> LaunchingRunner::predict(const Compiled& kernel, const Produces& task,
                                                  Shape shape) {
    if (!is_simulated()) return std::nullopt;
    return predict_launch(load_if_needed(kernel), task.in_place, shape);
}

std::string LaunchingRunner::take_output(bool& is_cut) {
    output_.finish();
    is_cut = output_.is_truncated();
    return output_.text();
}

}  // namespace coalesce
