// Predicts the times of random kernels on a given GPU, using the simulator.
#include <iostream>

#include "harness/device_buffer.h"
#include "harness/errors.h"
#include "harness/predicted.h"
#include "harness/text.h"
#include "lab/random_times/on_device.h"
#include "timing/prediction_codec.h"

namespace coalesce::timing {
namespace {

PredictedKernel predict(const Kernel& kernel, const std::string& gpu) {
    const LoadedRandomKernel loaded_kernel(kernel);
    // Do not initialize the buffers, so that the simulator allocates host memory only for the pages
    // that the kernel accesses.
    const DeviceBuffer in(kernel.measured_launch.in_bytes), out(kernel.measured_launch.out_bytes);
    const auto launch = [&] {
        loaded_kernel.launch(kernel.measured_launch, out.data(), in.data());
        CUDA_CHECK(cudaDeviceSynchronize());
    };
    const auto bytes =
        static_cast<double>(kernel.measured_launch.in_bytes + kernel.measured_launch.out_bytes);
    const Prediction prediction = predict_launches(launch, bytes, {}, gpu).longest();
    PredictedKernel predicted_kernel{kernel.name,
                                     kernel.title,
                                     kernel.fingerprint,
                                     prediction.ms,
                                     prediction.error_band,
                                     dashed_name(prediction.bottleneck),
                                     {},
                                     {}};
    for (const Unknown unknown : prediction.unknown)
        predicted_kernel.unknown.push_back(dashed_name(unknown));
    predicted_kernel.prediction = codec::encode(prediction);
    predicted_kernel.prediction.erase("time_line");
    return predicted_kernel;
}

}  // namespace

PredictedKernels predict(const std::vector<Kernel>& kernels, const std::string& gpu) {
    PredictedKernels predicted_kernels{gpu, {}};
    for (const Kernel& kernel : kernels) {
        predicted_kernels.kernels.push_back(predict(kernel, gpu));
        std::cout << format("%-46s %10.4f ms  %s\n", kernel.title.c_str(),
                            predicted_kernels.kernels.back().ms,
                            predicted_kernels.kernels.back().bottleneck.c_str())
                  << std::flush;
    }
    return predicted_kernels;
}

}  // namespace coalesce::timing
