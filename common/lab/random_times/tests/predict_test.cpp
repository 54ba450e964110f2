// Tests predictions of random kernels with a fake predictor. Programs look up the predictor's
// functions by name, so this program's functions take precedence over the simulator's.
#include <doctest/doctest.h>

#include <string>

#include "base/errors.h"
#include "harness/counters.h"
#include "harness/simulator_function.h"
#include "lab/random_times/on_device.h"
#include "timing/prediction_codec.h"

using namespace coalesce;
using namespace coalesce::timing;

namespace {

int recorded = -1;
std::string answer;

/// Returns a list with one random kernel, whose full matrix is replaced by its small one.
std::vector<Kernel> small_kernel() {
    std::vector<Kernel> kernels = random_kernels(1, 1);
    kernels[0].measured_launch = kernels[0].checked_launch;
    return kernels;
}

/// Predicts without printing anything. This test runs the whole kernel, so the simulator reports
/// that the predicted kernel reads uninitialized memory. These reports are cleared.
PredictedKernels predict_quietly(const std::string& gpu) {
    simulator_library::set_quiet(true);
    const PredictedKernels predicted = predict(small_kernel(), gpu);
    SIMULATOR_FUNCTION(coalesceClearReports)();
    return predicted;
}

}  // namespace

extern "C" void coalesceRecord(int what) {
    if (what != 0) recorded = what;
}

extern "C" int coalescePredict(const char* gpu, void (*write)(const char*, std::size_t, void*),
                               void* user) {
    if (std::string(gpu) != "H200") return -1;
    write(answer.c_str(), answer.size(), user);
    return 0;
}

TEST_CASE("predictions are stored without `time_line`") {
    Prediction launch;
    launch.gpu = "NVIDIA H200";
    launch.ms = 0.25;
    launch.error_band = 0.08;
    launch.bottleneck = Bottleneck::flight;
    launch.unknown = {Unknown::parts};
    launch.registers = 32;
    answer = codec::write(Predictions{{launch}});
    const PredictedKernels predicted = predict_quietly("H200");
    CHECK(recorded == 2);
    REQUIRE(predicted.kernels.size() == 1);
    const PredictedKernel& one = predicted.kernels[0];
    CHECK(one.ms == 0.25);
    CHECK(one.bottleneck == "flight");
    CHECK(one.unknown == std::vector<std::string>{"parts"});
    CHECK(one.prediction["registers"] == 32);
    CHECK_FALSE(one.prediction.contains("time_line"));
    const auto again = codec::read<PredictedKernels>(codec::write(predicted));
    CHECK(codec::write(again) == codec::write(predicted));
}

TEST_CASE("an unknown GPU and a missing launch are reported") {
    CHECK_THROWS_AS(predict_quietly("H2000"), UsageError);
    answer = R"({"launches": []})";
    CHECK_THROWS_AS(predict_quietly("H200"), std::runtime_error);
    SIMULATOR_FUNCTION(coalesceClearReports)();
}
