// The code that all microbenchmarks share: the GPU, two large buffers, and the timing of launches.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "harness/device_buffer.h"
#include "harness/errors.h"
#include "harness/stopwatch.h"
#include "lab/calibrate/raw.h"

namespace coalesce::timing {

class Bench {
public:
    Bench();

    const MeasuredGpu& machine() const { return machine_; }
    int multiprocessors() const { return machine_.multiprocessors; }
    /// Returns the compute capability, for example 90 for 9.0.
    int compute() const { return compute_; }
    /// Return the addresses of the two buffers. The buffers have the same size, a power of two that
    /// is much larger than the L2 cache.
    char* in() const { return static_cast<char*>(in_.data()); }
    char* out() const { return static_cast<char*>(out_.data()); }
    std::size_t bytes() const { return in_.bytes(); }
    /// Returns the 64-bit counters in which kernels store their results. Benchmarks zero them
    /// before each use.
    std::uint64_t* result_counters() const {
        return static_cast<std::uint64_t*>(result_counters_.data());
    }
    std::size_t result_counter_count() const {
        return result_counters_.bytes() / sizeof(std::uint64_t);
    }
    void clear_result_counters() const;
    /// Fills both buffers with pseudorandom numbers, because zeros might transfer faster.
    void fill_buffers() const;
    std::vector<std::uint64_t> read_result_counters(std::size_t count) const;

    /// Returns the median time of `times` launches in milliseconds. One untimed launch comes first.
    /// `run_before` runs before each launch and is not timed.
    double ms(
        const std::function<void()>& launch, int times = 5,
        const std::function<void()>& run_before = [] {}) const;
    /// Like ms(), but fills the L2 cache with unrelated, clean data before each launch.
    double median_ms_with_cold_cache(const std::function<void()>& launch, int times = 9);
    /// Converts milliseconds to cycles of a multiprocessor, at its clock rate while memory is idle.
    double cycles_while_memory_idles(double ms) const {
        return ms * 1e6 * machine_.idle_memory_clock_ghz;
    }
    double cycles(double ms) const { return ms * 1e6 * machine_.clock_ghz; }

private:
    void describe_machine();
    void measure_clocks();

    MeasuredGpu machine_;
    int compute_ = 0;
    DeviceBuffer in_, out_, result_counters_;
    Stopwatch stopwatch_;
    cudaEvent_t start_ = nullptr, stop_ = nullptr;
};

/// Lets the kernel use `bytes` of dynamic shared memory, and divides the L1 cache so that as many
/// blocks as possible fit on a multiprocessor.
template <class Kernel>
void allow_dynamic_shared_memory(Kernel kernel, std::size_t bytes) {
    CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                    cudaSharedmemCarveoutMaxShared));
    CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(bytes)));
}
/// Returns how many bytes of dynamic shared memory each block must use so that exactly
/// `resident_blocks` blocks fit on a multiprocessor.
std::size_t shared_bytes_for_residency(const MeasuredGpu& machine, int resident_blocks);

// Each of these functions makes one group of measurements, and adds the results to `raw`.
void measure_latencies(Bench& bench, RawMeasurements& raw);           // in latency.cu
void measure_long_runs(Bench& bench, RawMeasurements& raw);           // in memory.cu
void measure_latency_under_load(Bench& bench, RawMeasurements& raw);  // in flight.cu
void measure_short_runs(Bench& bench, RawMeasurements& raw);          // in runs.cu
void measure_blocks(Bench& bench, RawMeasurements& raw);              // in blocks.cu
void measure_barriers(Bench& bench, RawMeasurements& raw);            // in barriers.cu
void measure_issue(Bench& bench, RawMeasurements& raw);               // in issue.cu
void measure_cache_bandwidth(Bench& bench, RawMeasurements& raw);     // in cache.cu
void measure_scattered_stores(Bench& bench, RawMeasurements& raw);    // in scatter.cu
void measure_bulk(Bench& bench, RawMeasurements& raw);                // in bulk.cu
void measure_sectors(Bench& bench, RawMeasurements& raw);             // in sectors.cu
void measure_launches(Bench& bench, RawMeasurements& raw);            // in launches.cu

}  // namespace coalesce::timing
