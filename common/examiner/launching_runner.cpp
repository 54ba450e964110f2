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
    if (!loaded_kernel_ || loaded_ptx_ != kernel.ptx) {
        loaded_kernel_.reset();
        loaded_kernel_ = std::make_unique<LoadedKernel>(kernel);
        loaded_ptx_ = kernel.ptx;
    }
    return *loaded_kernel_;
}

Trial LaunchingRunner::run(const Compiled& kernel, const Produces& task,
                           const TrialRequest& request) {
    // Do not add guard bands, because they would hide accesses outside the matrices from the
    // simulator.
    const bool is_bare = is_simulated() && request.watch == Watch::everything;
    std::unique_ptr<VerifiedBuffers> buffers;
    const auto make_matrices = [&]() -> Matrices {
        const Problem problem{
            .rows = request.shape.rows, .cols = request.shape.cols, .produces = task};
        buffers = std::make_unique<VerifiedBuffers>(
            problem, is_bare ? 0 : VerifiedBuffers::kDefaultGuardBytes);
        buffers->prepare();
        // An in-place kernel receives the matrix as its first argument and null as its second.
        return {buffers->out(), task.in_place ? nullptr : buffers->in()};
    };
    LoadedKernel& loaded_kernel = load_if_needed(kernel);
    Trial trial = launch_once(loaded_kernel, request, make_matrices);
    if (trial.is_hung) {
        // Freeing memory would wait forever for a kernel that never finishes.
        loaded_kernel.abandon();
        static_cast<void>(buffers.release());
    } else if (trial.has_ended()) {
        trial.comparison = buffers->check();
    }
    return trial;
}

Trial LaunchingRunner::run_with(const Compiled& kernel, const std::vector<CallArgument>& arguments,
                                const TrialRequest& request) {
    // Do not add guard bands, because they would hide accesses outside the arrays from the
    // simulator.
    const bool is_bare = is_simulated() && request.watch == Watch::everything;
    std::unique_ptr<DeviceArrays> arrays;
    const auto make_arguments = [&] {
        arrays = std::make_unique<DeviceArrays>(arguments,
                                                is_bare ? 0 : VerifiedBuffers::kDefaultGuardBytes);
        return arrays->arguments();
    };
    LoadedKernel& loaded_kernel = load_if_needed(kernel);
    Trial trial = launch_once(loaded_kernel, request, make_arguments);
    if (trial.is_hung) {
        loaded_kernel.abandon();
        static_cast<void>(arrays.release());
    } else if (arrays) {
        trial.arrays = trial.has_ended() ? arrays->read_arrays() : arrays->list_addresses();
    }
    return trial;
}

std::optional<Predicted> LaunchingRunner::predict(const Compiled& kernel, const Produces& task,
                                                  Shape shape) {
    if (!is_simulated()) return std::nullopt;
    return predict_launch(load_if_needed(kernel), task.in_place, shape);
}

std::string LaunchingRunner::take_output(bool& is_truncated) {
    output_.finish();
    is_truncated = output_.is_truncated();
    return output_.text();
}

}  // namespace coalesce
