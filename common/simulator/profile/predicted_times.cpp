// See predicted_times.h.
#include "simulator/profile/predicted_times.h"

#include <algorithm>
#include <cstdio>

#include "simulator/base/options.h"
#include "timing/predict.h"

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

void add_prediction(PredictedKernel& kernel, timing::Prediction prediction) {
    prediction.time_line = {};
    kernel.error_band = std::max(kernel.error_band, prediction.error_band);
    for (const timing::Unknown one : prediction.unknown) {
        if (std::find(kernel.unknown.begin(), kernel.unknown.end(), one) == kernel.unknown.end())
            kernel.unknown.push_back(one);
    }
    if (!kernel.longest || prediction.ms > kernel.longest->ms)
        kernel.longest = std::move(prediction);
}

void leave_out(PredictedKernel& kernel, const char* why) {
    ++kernel.unpredicted_launches;
    kernel.why = why;
}

}  // namespace

PredictedTimes::Shape PredictedTimes::shape_of(const LaunchConfig& config) {
    const Dim3 grid = config.grid, block = config.block;
    return {u64{grid.x} << 32 | grid.y,
            grid.z,
            block.x,
            block.y,
            u64{block.z} << 32 | config.dynamic_shared,
            config.cluster.x * config.cluster.y * config.cluster.z};
}

bool PredictedTimes::is_enabled(const Kernel& kernel, const LaunchConfig& config) const {
    const auto shapes = launches_.find(kernel.demangled);
    if (shapes == launches_.end()) return true;
    const auto launches = shapes->second.find(shape_of(config));
    if (launches == shapes->second.end()) return shapes->second.size() < kMaxShapes;
    return launches->second.count < kMaxPredictedLaunches;
}

void PredictedTimes::add(const Kernel& kernel, const LaunchConfig& config,
                         const timing::Recording* recording) {
    PredictedKernel& sum = kernels_[kernel.demangled];
    ++sum.launches;
    auto& shapes = launches_[kernel.demangled];
    const Shape shape = shape_of(config);
    if (!recording && !shapes.contains(shape))
        return leave_out(sum, "the kernel is launched with too many different grids and blocks");
    Launches& launches = shapes[shape];
    ++launches.count;
    if (!recording) {
        if (launches.predicted == 0) {
            ++sum.unpredicted_launches;
            return;
        }
        ++sum.alike;
        sum.ms += launches.ms / static_cast<double>(launches.predicted);
        return;
    }
    timing::Prediction prediction = timing::predict(*recording, gpu_);
    if (has_unknown_waits(prediction)) return leave_out(sum, "blocks may wait for each other");
    if (prediction.ms <= 0) return leave_out(sum, "the blocks could not be recorded");
    ++launches.predicted;
    launches.ms += prediction.ms;
    sum.ms += prediction.ms;
    add_prediction(sum, std::move(prediction));
}

void PredictedTimes::clear() {
    launches_.clear();
    kernels_.clear();
}

const PredictedKernel* PredictedTimes::of(const std::string& kernel) const {
    const auto found = kernels_.find(kernel);
    return found == kernels_.end() ? nullptr : &found->second;
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
