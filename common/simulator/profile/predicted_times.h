// Predicts the times of a program's launches on a GPU, for `simulate --time`.
//
// Idea  Launches of a kernel with the same grid, block and shared memory are assumed to take the
//       same time. Only the first few of these launches are recorded (execute/recorder.h), and the
//       time of each is predicted when the launch has ended. A thousand such launches therefore
//       cost no more to predict than three.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "simulator/code/kernel.h"
#include "simulator/code/launch_config.h"
#include "timing/gpu.h"
#include "timing/prediction.h"

namespace coalesce::timing {
struct Recording;
}

namespace coalesce::simulator {

/// The prediction for all completed launches of a kernel.
struct PredictedKernel {
    u64 launches = 0;
    /// The number of launches that were not predicted, because they are assumed to take as long as
    /// an earlier launch.
    u64 repeated_launches = 0;
    /// The number of launches without a predicted time. `unpredicted_reason` says why they have
    /// none.
    u64 unpredicted_launches = 0;
    std::string unpredicted_reason;
    double ms = 0;          ///< the sum of all predicted times, in milliseconds
    double error_band = 0;  ///< the largest error band of the predicted launches
    /// The properties of the kernel's launches that the time model does not consider.
    std::vector<timing::Unknown> unknown_aspects;
    /// The prediction of the longest launch, without its timeline. Empty if no launch has a time.
    std::optional<timing::Prediction> longest_launch;
    /// For each inefficiency of the longest launch, the time that the launch would save without it.
    /// Empty unless Options::finds_savings is set.
    std::vector<timing::Saving> savings;
};

class PredictedTimes {
public:
    explicit PredictedTimes(const timing::Gpu& gpu) : gpu_(gpu) {}
    const timing::Gpu& gpu() const { return gpu_; }

    /// Reports whether this launch must be recorded, so that its time can be predicted.
    bool is_enabled(const Kernel& kernel, const LaunchConfig& config) const;
    /// Adds a completed launch. `recording` is null if the launch was not recorded.
    void add_launch(const Kernel& kernel, const LaunchConfig& config,
                    const timing::Recording* recording);
    void clear();
    /// Returns the prediction for the kernel with this demangled name, or null if the kernel was
    /// not launched.
    const PredictedKernel* find_kernel(const std::string& kernel) const;

private:
    /// The launch parameters on which the time of a launch is assumed to depend: grid, block and
    /// shared memory.
    using LaunchShape = std::tuple<u64, u32, u32, u32, u64, u32>;
    struct LaunchesOfShape {
        u64 count = 0, predicted_launches = 0;
        double ms = 0;  ///< the sum of the predicted times, in milliseconds
    };
    static LaunchShape launch_shape(const LaunchConfig& config);

    timing::Gpu gpu_;
    std::map<std::string, std::map<LaunchShape, LaunchesOfShape>> launches_;
    std::map<std::string, PredictedKernel> kernels_;
};

/// Returns the predictions of this process, or null if no predictions were requested
/// (Options::predicted_gpu).
PredictedTimes* predicted_times();

}  // namespace coalesce::simulator
