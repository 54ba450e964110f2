#include <cstdlib>

#include "harness/device.h"
#include "harness/errors.h"
#include "kernel/cache.h"
#include "kernel/counters_json.h"
#include "kernel/predicted_launch.h"
#include "kernel/runner.h"
#include "kernel/verdict_codec.h"

namespace coalesce {

void LocalRunner::prepare_process() {
    setenv("COALESCE_SIM_THREADS", "1", 0);
}

LocalRunner::LocalRunner(Options options) : options_(std::move(options)) {
    conditions_ = {.is_simulated = simulator::is_loaded(),
                   .seconds_on_gpu = options_.seconds_on_gpu};
    if (conditions_.is_simulated) {
        simulator::set_quiet(true);
    } else if (const std::string why = why_no_gpu(); !why.empty()) {
        throw UsageError("there is no device to run the kernel on: " + why +
                         ". Use the simulated GPU: --device sim");
    }
    cudaDeviceProp properties{};
    CUDA_CHECK(cudaGetDeviceProperties(&properties, 0));
    device_ = properties.name;
}

LocalRunner::~LocalRunner() = default;

Compiled LocalRunner::compile(const Source& source, const std::string& kernel) {
    CompileOptions options{
        .kernel = kernel, .cache = options_.cache, .compiler = options_.compiler};
    if (!is_simulated()) options.architecture = native_architecture();
    return coalesce::compile(source, options);
}

/// The one that was launched last stays loaded.
LoadedKernel& LocalRunner::loaded(const Compiled& kernel) {
    if (!loaded_ || loaded_ptx_ != kernel.ptx) {
        loaded_.reset();
        loaded_ = std::make_unique<LoadedKernel>(kernel);
        loaded_ptx_ = kernel.ptx;
    }
    return *loaded_;
}

Trial LocalRunner::run(const Compiled& kernel, const Produces& task, const TrialOrder& order) {
    // Guard bands would hide from the simulator what is touched outside.
    const bool is_bare = is_simulated() && order.watch == Watch::everything;
    std::unique_ptr<VerifiedBuffers> buffers;
    const auto make_matrices = [&]() -> Matrices {
        const Problem problem{.rows = order.shape.rows,
                              .cols = order.shape.cols,
                              .produces = task,
                              .seed = options_.seed};
        buffers =
            std::make_unique<VerifiedBuffers>(problem, is_bare ? 0 : VerifiedBuffers::usual_guard);
        buffers->prepare();
        // In place the matrix is the first argument; who reads the second one reads nothing.
        return {buffers->out(), task.in_place ? nullptr : buffers->in()};
    };
    LoadedKernel& it = loaded(kernel);
    Trial trial = launch_once(it, order, conditions_, make_matrices);
    if (trial.is_hung) {
        // Freeing would wait for the kernel, which never ends.
        it.abandon();
        static_cast<void>(buffers.release());
    } else if (trial.has_ended()) {
        trial.comparison = buffers->check();
    }
    return trial;
}

std::optional<Predicted> LocalRunner::predict(const Compiled& kernel, const Produces& task,
                                              Shape shape) {
    if (!is_simulated()) return std::nullopt;
    const Cache cache(options_.cache);
    const std::string key = simulated::identity() + "\n" + shape.name() + "\n" + kernel.ptx;
    if (const auto kept = cache.find("predicted", key)) return codec::read<Predicted>(*kept);
    const auto predicted = predict_launch(loaded(kernel), task.in_place, shape);
    if (predicted) cache.keep("predicted", key, codec::write(*predicted));
    return predicted;
}

std::optional<Counters> LocalRunner::kept_cost(const std::string& of) {
    const auto kept = Cache(options_.cache).find("counters", simulated::identity() + "\n" + of);
    return kept ? counters_from_json(*kept) : std::nullopt;
}

void LocalRunner::keep_cost(const std::string& of, const Counters& cost) {
    Cache(options_.cache)
        .keep("counters", simulated::identity() + "\n" + of, counters_to_json(cost).dump());
}

std::string LocalRunner::take_output(bool& is_cut) {
    output_.finish();
    is_cut = output_.is_cut();
    return output_.text();
}

}  // namespace coalesce
