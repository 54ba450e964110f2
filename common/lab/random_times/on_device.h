// Runs random kernels on a device, real or simulated.
#pragma once

#include <cuda_runtime_api.h>

#include <string>
#include <vector>

#include "base/codec.h"
#include "harness/device.h"
#include "lab/campaign/streams/kernel.h"

namespace coalesce::timing {

/// A compiled and loaded kernel. The constructor throws std::runtime_error if compiling or loading
/// fails.
class LoadedRandomKernel {
public:
    explicit LoadedRandomKernel(const Kernel& kernel);
    ~LoadedRandomKernel();
    LoadedRandomKernel(const LoadedRandomKernel&) = delete;
    LoadedRandomKernel& operator=(const LoadedRandomKernel&) = delete;

    /// Launches the kernel asynchronously on the default stream.
    void launch(const MatrixLaunch& run, void* out, const void* in) const;

private:
    cudaLibrary_t library_ = nullptr;
    cudaKernel_t kernel_ = nullptr;
};

/// Runs the kernel at its small size. Returns "" if the result is correct and the simulator reports
/// nothing. Otherwise returns the error or the report.
std::string check_small_run(const Kernel& kernel, const LoadedRandomKernel& loaded_kernel,
                            const Device& device);

/// The measured time of a kernel.
struct MeasuredKernel {
    std::string name, title, fingerprint;
    double ms = 0, relative_spread = 0;
    int repetitions = 0;
};
struct MeasuredKernels {
    std::string device, driver, compiler;
    std::vector<MeasuredKernel> kernels;
};

/// Checks each kernel, then measures its time at full size. Throws std::runtime_error if a kernel's
/// result is wrong.
MeasuredKernels measure(const std::vector<Kernel>& kernels, const Device& device);

/// A time predicted by the simulator.
struct PredictedKernel {
    std::string name, title, fingerprint;
    double ms = 0, error_band = 0;
    std::string bottleneck;
    std::vector<std::string> unknown;
    codec::Json prediction;  ///< the simulator's prediction without the timeline
};
struct PredictedKernels {
    std::string gpu;
    std::vector<PredictedKernel> kernels;
};

/// Predicts the times of all kernels at full size. The simulator runs only a few blocks of each
/// kernel. Throws UsageError if a time cannot be predicted.
PredictedKernels predict(const std::vector<Kernel>& kernels, const std::string& gpu);

void describe(auto& codec, MeasuredKernel& kernel) {
    codec::fields(codec, "name", kernel.name, "title", kernel.title, "fingerprint",
                  kernel.fingerprint, "ms", kernel.ms, "spread", kernel.relative_spread,
                  "repetitions", kernel.repetitions);
}
void describe(auto& codec, MeasuredKernels& kernels_and_device) {
    codec::version(codec, "list of measured times", 1);
    codec::fields(codec, "device", kernels_and_device.device, "driver", kernels_and_device.driver,
                  "compiler", kernels_and_device.compiler, "kernels", kernels_and_device.kernels);
}
void describe(auto& codec, PredictedKernel& kernel) {
    codec::fields(codec, "name", kernel.name, "title", kernel.title, "fingerprint",
                  kernel.fingerprint, "ms", kernel.ms, "error_band", kernel.error_band, "binds",
                  kernel.bottleneck, "unknown", kernel.unknown, "prediction", kernel.prediction);
}
void describe(auto& codec, PredictedKernels& kernels_and_gpu) {
    codec::version(codec, "list of predicted times", 1);
    codec::fields(codec, "gpu", kernels_and_gpu.gpu, "kernels", kernels_and_gpu.kernels);
}

}  // namespace coalesce::timing
