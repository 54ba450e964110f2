#include "harness/predicted.h"

#include <algorithm>

#include "harness/device_buffer.h"
#include "harness/errors.h"
#include "harness/problem.h"
#include "harness/shapes.h"
#include "harness/simulator_function.h"
#include "timing/gpu.h"
#include "timing/prediction_codec.h"

namespace coalesce {
namespace {

/// Until the end of its life, launches run only those of their blocks that are recorded.
class RecordAlone {
public:
    RecordAlone() { SIMULATOR_FUNCTION(coalesceRecord)(coalesceRecordAlone); }
    ~RecordAlone() { SIMULATOR_FUNCTION(coalesceRecord)(coalesceRecordNothing); }
    RecordAlone(const RecordAlone&) = delete;
    RecordAlone& operator=(const RecordAlone&) = delete;
};

timing::Predictions predictions_for(const std::string& gpu) {
    std::string text;
    const auto take = [](const char* data, std::size_t size, void* user) {
        static_cast<std::string*>(user)->assign(data, size);
    };
    if (SIMULATOR_FUNCTION(coalescePredict)(gpu.c_str(), take, &text) != 0)
        throw UsageError("no time can be predicted for the GPU " + gpu);
    return codec::read<timing::Predictions>(text);
}

void launch_at(const Variant& variant, Shape shape) {
    const std::size_t bytes = static_cast<std::size_t>(variant.element_size) *
                              static_cast<std::size_t>(shape.rows) *
                              static_cast<std::size_t>(shape.cols);
    const DeviceBuffer in(bytes), out(variant.produces.in_place ? 1 : bytes);
    auto* to = static_cast<float*>(variant.produces.in_place ? in.data() : out.data());
    const auto* from = static_cast<const float*>(in.data());
    if (variant.permute)
        variant.permute(to, from, problem_of(*array_of(variant, shape)).axes());
    else
        variant.launch(to, from, shape.rows, shape.cols);
    const cudaError_t launched = cudaGetLastError(), ended = cudaDeviceSynchronize();
    const cudaError_t error = launched != cudaSuccess ? launched : ended;
    if (error != cudaSuccess)
        throw UsageError(variant.name + " could not be launched at " + shape.name() + ": " +
                         cudaGetErrorString(error));
}

}  // namespace

const timing::Prediction& Predicted::longest() const {
    return *std::max_element(launches.begin(), launches.end(),
                             [](const auto& a, const auto& b) { return a.ms < b.ms; });
}

double useful_bytes(Shape shape, int element_size) {
    return 2.0 * element_size * shape.rows * shape.cols;
}

Predicted predict_launches(const std::string& what, Shape shape, int element_size,
                           const std::string& gpu, const std::function<void()>& launch) {
    const RecordAlone recording;
    launch();
    Predicted result;
    result.shape = shape;
    result.launches = predictions_for(gpu).launches;
    if (result.launches.empty()) throw UsageError(what + " launches no kernel");
    const timing::Gpu& known = timing::gpu_named(result.launches.front().gpu);
    result.gpu = known.name;
    result.measured_gpu = known.measured;
    result.copy_gbps = known.copy_gbps;
    for (const timing::Prediction& one : result.launches) {
        result.ms += one.ms;
        result.error_band = std::max(result.error_band, one.error_band);
    }
    if (result.ms <= 0)
        throw UsageError("the time of " + what +
                         " cannot be predicted: its blocks wait for each other");
    result.gbps = useful_bytes(shape, element_size) / (result.ms * 1e6);
    return result;
}

Predicted predict(const Variant& variant, Shape shape, const std::string& gpu) {
    return predict_launches(variant.name, shape, variant.element_size, gpu,
                            [&] { launch_at(variant, shape); });
}

}  // namespace coalesce
