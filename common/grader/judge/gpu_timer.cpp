#include "grader/judge/gpu_timer.h"

#include <cuda_runtime_api.h>

#include <chrono>
#include <memory>
#include <vector>

#include "examiner/course/exercise.h"
#include "examiner/loaded_kernel.h"
#include "harness/errors.h"
#include "harness/stopwatch.h"
#include "harness/text.h"
#include "harness/verify.h"

namespace coalesce::grader {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kRepetitions = 9;
// The time for which the GPU is kept busy before a measurement, because its clock rates increase
// slowly.
constexpr std::chrono::milliseconds kWarmUpTime{100};

/// A kernel, and a pair of matrices for each timed launch.
class GpuMeasurement {
public:
    GpuMeasurement(const GpuJob& job, const Device& device)
        : job_(job), stopwatch_(device.l2_bytes), kernel_(job.kernel) {
        gpu_time_.device = device.name;
    }

    GpuTime run() {
        Failure failure = kernel_.problem();
        std::optional<LaunchShape> launch;
        if (failure.kind == FailureKind::none) launch = kernel_.configure(job_.shape, failure);
        if (!launch) {
            gpu_time_.problem = failure.headline;
            return gpu_time_;
        }
        make_matrices();
        gpu_time_.copy_ms = measure_ms([&](VerifiedBuffers& matrices) {
            CUDA_CHECK(cudaMemcpyAsync(matrices.out(), matrices.in(), matrices.problem().bytes(),
                                       cudaMemcpyDeviceToDevice));
        });
        for (auto& matrices : matrices_) matrices->poison();
        gpu_time_.ms = measure_ms([&](VerifiedBuffers& matrices) {
            CUDA_CHECK(kernel_.launch(*launch, matrices.out(), matrices.in(), job_.shape));
        });
        check_results();
        return gpu_time_;
    }

private:
    void make_matrices() {
        const coalesce::Exercise exercise{.produces = job_.produces};
        for (int i = 0; i < kRepetitions; ++i) {
            matrices_.push_back(std::make_unique<VerifiedBuffers>(
                Problem{.rows = job_.shape.rows,
                        .cols = job_.shape.cols,
                        .produces = exercise.task(),
                        .seed = job_.seed + static_cast<std::uint64_t>(i)}));
            matrices_.back()->prepare();
        }
    }

    /// Launches once for each pair of matrices, and returns the median time.
    double measure_ms(const std::function<void(VerifiedBuffers&)>& run_on_device) {
        // Keep the GPU busy until its clock rates have increased. These launches are not timed.
        const auto begin = Clock::now();
        while (Clock::now() - begin < kWarmUpTime) stopwatch_.time_once_on_device([] {});
        std::vector<double> times;
        for (auto& matrices : matrices_) {
            times.push_back(stopwatch_.time_once_on_device([&] { run_on_device(*matrices); }));
        }
        return summarize_timings(std::move(times)).ms;
    }

    void check_results() {
        for (auto& matrices : matrices_) {
            const Comparison comparison = matrices->check();
            if (comparison.is_right()) continue;
            gpu_time_.problem = "the result is wrong on the GPU at " + job_.shape.name() + ": " +
                                comparison.findings.front().text();
            return;
        }
    }

    GpuJob job_;
    Stopwatch stopwatch_;
    LoadedKernel kernel_;
    std::vector<std::unique_ptr<VerifiedBuffers>> matrices_;
    GpuTime gpu_time_;
};

}  // namespace

Device require_gpu(char** argv) {
    const std::string problem = find_gpu_problem();
    if (problem.empty()) return choose_device(DeviceChoice::gpu, argv);
    throw UsageError("no GPU works here (" + problem + ")");
}

GpuTime measure_on_device(const Device& device, const GpuJob& job) {
    return GpuMeasurement(job, device).run();
}

}  // namespace coalesce::grader
