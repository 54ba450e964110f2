#include "harness/timing.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/median.h"
#include "harness/errors.h"
#include "harness/flush.h"
#include "harness/stopwatch.h"

namespace coalesce {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kTargetRelativeSpread = 0.01;
constexpr double kMaxSeconds = 2;
constexpr int kMaxRepetitions = 500;
constexpr int kMinWarmUps = 3;
constexpr double kWarmUpMs = 100;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

Timing summarize_timings(std::vector<double> values) {
    Timing timing;
    timing.repetitions = static_cast<int>(values.size());
    timing.ms = median(values);
    for (double& value : values) value = std::abs(value - timing.ms);
    // The median absolute deviation times 1.4826 is an estimate of the standard deviation. The
    // standard error of a median is 1.2533 / sqrt(n) times the standard deviation, and two standard
    // errors cover 95 %.
    const double deviation = 1.4826 * median(values);
    timing.spread =
        2 * 1.2533 * deviation / std::sqrt(static_cast<double>(values.size())) / timing.ms;
    return timing;
}

std::size_t Stopwatch::bytes_needed(std::size_t l2_bytes) {
    return std::max(2 * l2_bytes, std::size_t{64} << 20);
}

Stopwatch::Stopwatch(std::size_t l2_bytes) : flush_(bytes_needed(l2_bytes)) {
    CUDA_CHECK(cudaMemset(flush_.data(), 0, flush_.bytes()));
}

Timing Stopwatch::repeat(const std::function<double()>& measure_once, int min_repetitions) {
    const Clock::time_point start = Clock::now();
    std::vector<double> times_ms;
    Timing timing;
    for (;;) {
        times_ms.push_back(measure_once());
        const bool is_over_time = seconds_since(start) > kMaxSeconds;
        if (static_cast<int>(times_ms.size()) < min_repetitions && !is_over_time) continue;
        timing = summarize_timings(times_ms);
        const bool is_precise_enough =
            timing.spread < kTargetRelativeSpread || timing.repetitions >= kMaxRepetitions;
        if (is_precise_enough || is_over_time) return timing;
    }
}

double Stopwatch::time_once_on_device(const std::function<void()>& work) {
    // Flushing evicts the matrix from the cache. It also keeps the device busy while the host
    // queues the work to be measured, so that the time does not include launch latency.
    flush_by_reading(flush_.data(), flush_.bytes());
    CUDA_CHECK(cudaEventRecord(start_.get(), nullptr));
    work();
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaEventRecord(stop_.get(), nullptr));
    CUDA_CHECK(cudaEventSynchronize(stop_.get()));
    float ms = 0;
    CUDA_CHECK(cudaEventElapsedTime(&ms, start_.get(), stop_.get()));
    return static_cast<double>(ms);
}

Timing Stopwatch::time_on_device(const std::function<void()>& work) {
    const auto measure_once = [&] { return time_once_on_device(work); };
    // Warm up first. The device may have been idle while the host compared results, and its clocks
    // rise slowly.
    double warm_up_ms = 0;
    for (int warm_up = 0; warm_up < kMinWarmUps || warm_up_ms < kWarmUpMs; ++warm_up) {
        warm_up_ms += measure_once();
        if (warm_up == kMaxRepetitions) break;
    }
    return repeat(measure_once, 20);
}

Timing Stopwatch::time_on_host(const std::function<void()>& work) {
    const auto measure_once = [&] {
        const Clock::time_point start = Clock::now();
        work();
        return 1e3 * seconds_since(start);
    };
    measure_once();
    return repeat(measure_once, 3);
}

}  // namespace coalesce
