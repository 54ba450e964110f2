// How long random kernels would take on a GPU, as the simulator predicts.
#include <iostream>

#include "harness/device_buffer.h"
#include "harness/errors.h"
#include "harness/simulator_function.h"
#include "harness/text.h"
#include "timing/proof/on_device.h"

namespace coalesce::timing {
namespace {

using codec::Json;

/// Functions of simulators that predict. 2: a few blocks of each launch are run, and written down.
using Record = void(int what);
using Predict = int(const char* gpu, void (*write)(const char* text, std::size_t size, void* user),
                    void* user);
constexpr int kNothing = 0, kAlone = 2;

template <class Function>
Function* find(const char* name) {
    auto* function = simulator::look_up<Function>(name);
    if (!function) throw UsageError("this simulator cannot predict: build it from the same source");
    return function;
}

void append(const char* text, std::size_t size, void* user) {
    static_cast<std::string*>(user)->append(text, size);
}

/// The prediction for the launch since coalesceRecord.
Json predicted_launch(const std::string& gpu) {
    std::string text;
    if (find<Predict>("coalescePredict")(gpu.c_str(), append, &text) != 0) {
        throw UsageError("no time can be predicted for the GPU " + gpu);
    }
    const Json json = Json::parse(text, nullptr, false);
    if (!json.is_object() || !json.contains("launches") || json["launches"].size() != 1) {
        throw std::runtime_error("one launch was to be predicted, and this came: " + text);
    }
    return json["launches"][0];
}

PredictedKernel predict(const Kernel& kernel, const std::string& gpu) {
    const OnDevice loaded(kernel);
    // Nothing is written to them: the simulator takes of the host's memory what is touched.
    const DeviceBuffer in(kernel.full.in_bytes), out(kernel.full.out_bytes);
    find<Record>("coalesceRecord")(kAlone);
    loaded.launch(kernel.full, out.data(), in.data());
    CUDA_CHECK(cudaDeviceSynchronize());
    PredictedKernel one{kernel.name, kernel.title, kernel.fingerprint, 0, 0, "", {}, {}};
    one.prediction = predicted_launch(gpu);
    codec::decode(one.prediction.at("ms"), one.ms, "ms");
    codec::decode(one.prediction.at("binds"), one.binds, "binds");
    codec::decode(one.prediction.at("unknown"), one.unknown, "unknown");
    codec::decode(one.prediction.at("error_band"), one.error_band, "error_band");
    one.prediction.erase("time_line");
    return one;
}

}  // namespace

Predicted predict(const std::vector<Kernel>& kernels, const std::string& gpu) {
    find<Predict>("coalescePredict");
    Predicted all{gpu, {}};
    for (const Kernel& kernel : kernels) {
        all.kernels.push_back(predict(kernel, gpu));
        std::cout << format("%-46s %10.4f ms  %s\n", kernel.title.c_str(), all.kernels.back().ms,
                            all.kernels.back().binds.c_str())
                  << std::flush;
    }
    find<Record>("coalesceRecord")(kNothing);
    return all;
}

}  // namespace coalesce::timing
