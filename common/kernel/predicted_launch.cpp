#include "kernel/predicted_launch.h"

#include <cctype>

#include "harness/counters.h"
#include "harness/device_buffer.h"
#include "harness/errors.h"
#include "kernel/launch_limits.h"
#include "kernel/simulated.h"
#include "timing/comparison.h"
#include "timing/facts.h"

namespace coalesce {
namespace {

constexpr int kSide = 8192;
/// Blocks that run to be recorded move no more than such a matrix.
constexpr Shape kRecorded{1024, 1024};

void launch_once(LoadedKernel& kernel, const LaunchShape& launch, bool in_place, Shape shape) {
    const auto bytes = static_cast<std::size_t>(elements_of(shape)) * sizeof(float);
    const DeviceBuffer out(bytes), in(in_place ? 1 : bytes);
    CUDA_CHECK(kernel.launch(launch, static_cast<float*>(out.data()),
                             in_place ? nullptr : static_cast<const float*>(in.data()), shape));
    CUDA_CHECK(cudaDeviceSynchronize());
}

}  // namespace

Shape predicted_shape(const Exercise& exercise) {
    const auto times = [](int multiple) { return (kSide + multiple - 1) / multiple; };
    return exercise.of_multiples(times(exercise.rows_multiple), times(exercise.cols_multiple));
}

std::optional<Predicted> predict_launch(LoadedKernel& kernel, bool in_place, Shape shape) {
    if (kernel.prints()) return std::nullopt;
    std::optional<Predicted> predicted;
    try {
        simulated::prepare("none", instruction_budget(kRecorded, 1, false));
        Failure failure;
        const auto launch = kernel.configure(shape, failure);
        if (launch) {
            const std::string& gpu = timing::known_gpus().front().name;
            predicted = predict_launches([&] { launch_once(kernel, *launch, in_place, shape); },
                                         useful_bytes(shape), shape, gpu);
        }
    } catch (const NotPredicted&) {
        // There is no time for it: its blocks wait for each other.
    } catch (const CudaError&) {
        // It was right where it was tried, and is not for a matrix as large as this.
        static_cast<void>(cudaGetLastError());
    }
    simulator::forget_reports();
    return predicted;
}

timing::Told told_of(const Predicted& predicted) {
    return timing::told(predicted.longest(), timing::gpu_named(predicted.gpu),
                        useful_bytes(predicted.shape));
}

std::string predicted_text(const Predicted& predicted) {
    const timing::Told told = told_of(predicted);
    return "At " + predicted.shape.name() + " " + told.time + " (" + told.label + "). " +
           timing::capital(told.verdict) + ".";
}

std::string compared_text(const Predicted& yours, const Predicted& solution) {
    timing::Prediction one = yours.longest(), other = solution.longest();
    if (one.ms <= other.ms) return "";
    one.kernel = "yours";
    other.kernel = "the solution";
    std::string text = timing::compared(one, other);
    text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
    return "At " + yours.shape.name() + " " + text;
}

}  // namespace coalesce
