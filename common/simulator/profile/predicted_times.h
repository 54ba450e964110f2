// What the launches of a program would take on a GPU, for `simulate --time`.
//
// Idea  Launches of a kernel with the same grid, block and shared memory are alike: the first few of them are
//       recorded (execute/recorder.h), each is predicted when it has ended, and all others are taken for like
//       these. So a kernel that is launched a thousand times costs no more than one that is launched three times.
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

/// Of all launches of a kernel that came to their end.
struct PredictedKernel {
    u64 launches = 0;
    u64 alike = 0;     ///< of these, taken for like earlier ones
    u64 left_out = 0;  ///< of these, without a time: for the reason `why`
    std::string why;
    double ms = 0;                         ///< of all that have a time
    double error_band = 0;                 ///< the largest
    std::vector<timing::Unknown> unknown;  ///< what the model does not know of any of them
    std::optional<timing::Prediction>
        longest;  ///< without its time line; nothing when none has a time
};

class PredictedTimes {
public:
    explicit PredictedTimes(const timing::Gpu& gpu) : gpu_(gpu) {}
    const timing::Gpu& gpu() const { return gpu_; }

    /// Whether this launch is to be recorded.
    bool wants(const Kernel& kernel, const LaunchConfig& config) const;
    /// A launch that came to its end; `recording`: null when it was not recorded.
    void add(const Kernel& kernel, const LaunchConfig& config, const timing::Recording* recording);
    /// As if nothing had been launched.
    void clear();
    /// By the kernel's demangled name; null when it was not launched.
    const PredictedKernel* of(const std::string& kernel) const;

private:
    /// Launches that are alike: grid, block, shared memory.
    using Shape = std::tuple<u64, u32, u32, u32, u64, u32>;
    struct Launches {
        u64 count = 0, predicted = 0;
        double ms = 0;  ///< of those that were predicted
    };
    static Shape shape_of(const LaunchConfig& config);

    timing::Gpu gpu_;
    std::map<std::string, std::map<Shape, Launches>> launches_;
    std::map<std::string, PredictedKernel> kernels_;
};

/// Those of this process; null when nobody asked for times (options().time_on).
PredictedTimes* predicted_times();

}  // namespace coalesce::simulator
