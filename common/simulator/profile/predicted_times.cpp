// See predicted_times.h.
#include "simulator/profile/predicted_times.h"

#include <algorithm>
#include <cstdio>

#include "simulator/base/options.h"
#include "timing/predict.h"
#include "timing/savings.h"

namespace coalesce::simulator {

namespace {

/// The number of launches of the same shape whose times are predicted separately, because their
/// memory accesses and branches may differ slightly. Further launches of that shape are assumed to
/// take the mean of those times.
constexpr u64 kMaxPredictedLaunches = 3;
/// The maximum number of shapes that are stored for a kernel. A program that shrinks its grid with
/// every launch has hundreds of shapes.
constexpr std::size_t kMaxShapes = 32;

bool has_unknown_waits(const timing::Prediction& prediction) {
    return std::find(prediction.unknown.begin(), prediction.unknown.end(),
                     timing::Unknown::waits) != prediction.unknown.end();
}

void add_prediction(PredictedKernel& kernel, timing::Prediction prediction,
                    const timing::Recording& recording, const timing::Gpu& gpu) {
    prediction.time_line = {};
    kernel.error_band = std::max(kernel.error_band, prediction.error_band);
    for (const timing::Unknown unknown_aspect : prediction.unknown) {
        if (std::find(kernel.unknown_aspects.begin(), kernel.unknown_aspects.end(),
                      unknown_aspect) == kernel.unknown_aspects.end())
            kernel.unknown_aspects.push_back(unknown_aspect);
    }
    if (kernel.longest_launch && prediction.ms <= kernel.longest_launch->ms) return;
    if (options().finds_savings) kernel.savings = timing::find_savings(recording, prediction, gpu);
    kernel.longest_launch = std::move(prediction);
}

void leave_out_launch(PredictedKernel& kernel, const char* reason) {
    ++kernel.unpredicted_launches;
    kernel.unpredicted_reason = reason;
}

}  // namespace

PredictedTimes::LaunchShape PredictedTimes::launch_shape(const LaunchConfig& config) {
    const Dim3 grid = config.grid, block = config.block;
    return {u64{grid.x} << 32 | grid.y,
            grid.z,
            block.x,
            block.y,
            u64{block.z} << 32 | config.dynamic_shared_bytes,
            config.cluster.x * config.cluster.y * config.cluster.z};
}

bool PredictedTimes::is_enabled(const Kernel& kernel, const LaunchConfig& config) const {
    const auto shapes = launches_.find(kernel.display_name);
    if (shapes == launches_.end()) return true;
    const auto launches = shapes->second.find(launch_shape(config));
    if (launches == shapes->second.end()) return shapes->second.size() < kMaxShapes;
    return launches->second.count < kMaxPredictedLaunches;
}

void PredictedTimes::add_launch(const Kernel& kernel, const LaunchConfig& config,
                                const timing::Recording* recording) {
    PredictedKernel& kernel_prediction = kernels_[kernel.display_name];
    ++kernel_prediction.launches;
    auto& shapes = launches_[kernel.display_name];
    const LaunchShape shape = launch_shape(config);
    if (!recording && !shapes.contains(shape))
        return leave_out_launch(kernel_prediction,
                                "the kernel is launched with too many different grids and blocks");
    LaunchesOfShape& launches = shapes[shape];
    ++launches.count;
    if (!recording) {
        if (launches.predicted_launches == 0) {
            ++kernel_prediction.unpredicted_launches;
            return;
        }
        ++kernel_prediction.repeated_launches;
        kernel_prediction.ms += launches.ms / static_cast<double>(launches.predicted_launches);
        return;
    }
    timing::Prediction prediction = timing::predict(*recording, gpu_);
    if (has_unknown_waits(prediction))
        return leave_out_launch(kernel_prediction, "blocks may wait for each other");
    if (prediction.ms <= 0)
        return leave_out_launch(kernel_prediction, "the blocks could not be recorded");
    ++launches.predicted_launches;
    launches.ms += prediction.ms;
    kernel_prediction.ms += prediction.ms;
    add_prediction(kernel_prediction, std::move(prediction), *recording, gpu_);
}

void PredictedTimes::clear() {
    launches_.clear();
    kernels_.clear();
}

const PredictedKernel* PredictedTimes::find_kernel(const std::string& kernel) const {
    const auto predicted_kernel = kernels_.find(kernel);
    return predicted_kernel == kernels_.end() ? nullptr : &predicted_kernel->second;
}

PredictedTimes* predicted_times() {
    // This object is never destroyed: the report at exit reads it after the destructors of static
    // objects have run.
    static PredictedTimes* const instance = []() -> PredictedTimes* {
        if (options().predicted_gpu.empty()) return nullptr;
        try {
            return new PredictedTimes(timing::parse_or_find_gpu(options().predicted_gpu));
        } catch (const timing::GpuError& error) {
            std::fprintf(stderr, "coalesce: COALESCE_SIM_TIME is ignored: %s.\n", error.what());
            return nullptr;
        }
    }();
    return instance;
}

}  // namespace coalesce::simulator
