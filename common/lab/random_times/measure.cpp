// Measures the times of random kernels on a real GPU.
#include <algorithm>
#include <iostream>

#include "examiner/compile.h"
#include "harness/device_buffer.h"
#include "harness/errors.h"
#include "harness/stopwatch.h"
#include "harness/text.h"
#include "lab/campaign/streams/expected.h"
#include "lab/random_times/on_device.h"

namespace coalesce::timing {
namespace {

/// Extra bytes after each buffer, so that the distance between the buffers is not a power of two.
constexpr std::size_t kRoomBetweenBuffers = std::size_t{1} << 20 | 3840;

/// Fills the buffer with varying words, because the speed of memory may depend on the data.
void fill(const DeviceBuffer& buffer) {
    const ByteVector words = make_input(Computation{}, std::size_t{32} << 20);
    for (std::size_t offset = 0; offset < buffer.bytes(); offset += words.size()) {
        CUDA_CHECK(cudaMemcpy(static_cast<char*>(buffer.data()) + offset, words.data(),
                              std::min(words.size(), buffer.bytes() - offset),
                              cudaMemcpyHostToDevice));
    }
}

std::size_t max_bytes(const std::vector<Kernel>& kernels, std::uint64_t MatrixLaunch::*bytes) {
    std::size_t max_size = 0;
    for (const Kernel& kernel : kernels)
        max_size = std::max<std::size_t>(max_size, kernel.measured_launch.*bytes);
    return max_size + kRoomBetweenBuffers;
}

}  // namespace

MeasuredKernels measure(const std::vector<Kernel>& kernels, const Device& device) {
    MeasuredKernels measured_kernels{device.name, device.driver, describe_compiler(), {}};
    Stopwatch stopwatch(device.l2_bytes);
    const DeviceBuffer in(max_bytes(kernels, &MatrixLaunch::in_bytes));
    const DeviceBuffer out(max_bytes(kernels, &MatrixLaunch::out_bytes));
    fill(in);
    for (const Kernel& kernel : kernels) {
        const LoadedRandomKernel loaded_kernel(kernel);
        const std::string problem = check_small_run(kernel, loaded_kernel, device);
        if (!problem.empty()) throw std::runtime_error(kernel.name + " is wrong: " + problem);
        const Timing timing = stopwatch.time_on_device(
            [&] { loaded_kernel.launch(kernel.measured_launch, out.data(), in.data()); });
        std::cout << format("%-46s %10.4f ms\n", kernel.title.c_str(), timing.ms) << std::flush;
        measured_kernels.kernels.push_back({kernel.name, kernel.title, kernel.fingerprint,
                                            timing.ms, timing.spread, timing.repetitions});
    }
    return measured_kernels;
}

}  // namespace coalesce::timing
