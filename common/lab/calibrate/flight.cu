// Measures the latency of memory under load. Blocks are persistent, and every thread has a fixed
// number of loads in flight. By Little's law, the latency is then bytes in flight / bytes per
// second. Copies with the same number of bytes in flight show how much writes add to the latency.
// In a second run, one warp of each block times its loads with clocks, which shows how widely
// latencies spread.
#include "lab/calibrate/bench.h"
#include "lab/calibrate/device.h"

namespace coalesce::timing {
namespace {

constexpr int latency_bins = 2048, cycles_per_bin = 8;

/// Returns how many cycles a warp's request for one line takes. A request for several lines would
/// wait for the slowest line.
__device__ long long time_line_load(const void* line_address, void* sink) {
    const auto* line = static_cast<const unsigned*>(line_address);
    const long long start = cycles_now();
    const unsigned v = __ldcg(line + threadIdx.x % 32);
    // The vote needs the loaded value, so the clock is read only after the load has ended.
    if (__any_sync(~0u, v == 0x9e3779b9u)) keep_alive(v, sink);
    return cycles_now() - start;
}

/// In each iteration, loads UNROLL words per thread, waits for all of them and, in a copy, stores
/// them. If IS_TIMED, the first warp of each block times loads of single lines instead.
template <int BYTES, int UNROLL, bool IS_COPY, bool IS_TIMED>
__global__ void __launch_bounds__(1024)
    measure_load_latencies(const Word<BYTES>* in, Word<BYTES>* out, std::size_t count,
                           std::uint64_t* result_counters) {
    __shared__ unsigned histogram[IS_TIMED ? latency_bins : 1];
    if (IS_TIMED) {
        for (unsigned i = threadIdx.x; i < latency_bins; i += blockDim.x) histogram[i] = 0;
        __syncthreads();
    }
    const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
    std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    unsigned sum = 0;
    for (; i < count; i += step * UNROLL) {
        if (IS_TIMED && threadIdx.x < 32) {
            const long long latency_bin =
                time_line_load(in + (i - threadIdx.x), out) / cycles_per_bin;
            if (threadIdx.x == 0)
                atomicAdd(&histogram[latency_bin < latency_bins ? latency_bin : latency_bins - 1],
                          1u);
            continue;
        }
        Word<BYTES> v[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; ++u) v[u] = in[i + step * u];
#pragma unroll
        for (int u = 0; u < UNROLL; ++u) sum ^= xor_components(v[u]);
        // The vote makes the warp wait for all loads of this iteration before the first load of the
        // next.
        if (__any_sync(~0u, sum == 0x9e3779b9u)) keep_alive(sum, out);
        if (IS_COPY) {
#pragma unroll
            for (int u = 0; u < UNROLL; ++u) out[i + step * u] = v[u];
        }
    }
    if (IS_TIMED) {
        __syncthreads();
        for (unsigned k = threadIdx.x; k < latency_bins; k += blockDim.x) {
            if (histogram[k] == 0) continue;
            atomicAdd(reinterpret_cast<unsigned long long*>(result_counters) + k,
                      static_cast<unsigned long long>(histogram[k]));
        }
    }
}

/// Returns the midpoint of the histogram bin that contains the quantile `fraction`.
double latency_quantile(const std::vector<std::uint64_t>& latency_histogram, double fraction) {
    double total_loads = 0, loads_below = 0;
    for (const std::uint64_t n : latency_histogram) total_loads += static_cast<double>(n);
    for (std::size_t k = 0; k < latency_histogram.size(); ++k) {
        loads_below += static_cast<double>(latency_histogram[k]);
        if (loads_below >= fraction * total_loads)
            return (static_cast<double>(k) + 0.5) * cycles_per_bin;
    }
    return 0;
}

double mean_latency_cycles(const std::vector<std::uint64_t>& histogram) {
    double load_count = 0, sum = 0;
    for (std::size_t k = 0; k < histogram.size(); ++k) {
        load_count += static_cast<double>(histogram[k]);
        sum += (static_cast<double>(k) + 0.5) * cycles_per_bin * static_cast<double>(histogram[k]);
    }
    return sum / load_count;
}

template <int BYTES, int UNROLL, bool IS_COPY>
void measure_loads_in_flight(Bench& bench, RawMeasurements& raw, int threads_per_multiprocessor) {
    const int block_threads = threads_per_multiprocessor < 1024 ? threads_per_multiprocessor : 1024;
    const int resident_blocks = threads_per_multiprocessor / block_threads;
    const int blocks = resident_blocks * bench.multiprocessors();
    const std::size_t loop_words = static_cast<std::size_t>(blocks * block_threads) * UNROLL;
    // A run with few bytes in flight takes a long time, so it covers only part of the buffer, but
    // still much more than the caches hold. The amount is rounded down to whole iterations.
    const double kib_in_flight = threads_per_multiprocessor * BYTES * UNROLL / 1024.0;
    const double wanted = 10 * raw.machine.l2_bytes * (kib_in_flight < 1 ? 1 : kib_in_flight);
    const double available = static_cast<double>(bench.bytes());
    std::size_t count = static_cast<std::size_t>(wanted < available ? wanted : available) / BYTES;
    count = count / loop_words * loop_words;
    const auto* in = reinterpret_cast<const Word<BYTES>*>(bench.in());
    auto* out = reinterpret_cast<Word<BYTES>*>(bench.out());
    LoadsInFlight flight = {IS_COPY ? "copy" : "read", BYTES, UNROLL, threads_per_multiprocessor};
    flight.kib_in_flight = kib_in_flight;
    const double ms = bench.ms([&] {
        measure_load_latencies<BYTES, UNROLL, IS_COPY, false>
            <<<blocks, block_threads>>>(in, out, count, nullptr);
    });
    flight.gbps = (IS_COPY ? 2.0 : 1.0) * BYTES * static_cast<double>(count) / ms / 1e6;
    // With 256 threads or more, memory stays about as busy as before, although one warp of each
    // block only times loads.
    if (UNROLL == 1 && threads_per_multiprocessor >= 256) {
        bench.clear_result_counters();
        measure_load_latencies<BYTES, UNROLL, IS_COPY, true>
            <<<blocks, block_threads>>>(in, out, count, bench.result_counters());
        CUDA_CHECK(cudaGetLastError());
        CUDA_CHECK(cudaDeviceSynchronize());
        const auto histogram = bench.read_result_counters(latency_bins);
        flight.mean_cycles = mean_latency_cycles(histogram);
        flight.p1_cycles = latency_quantile(histogram, 0.01);
        flight.p10_cycles = latency_quantile(histogram, 0.10);
        flight.p50_cycles = latency_quantile(histogram, 0.50);
        flight.p90_cycles = latency_quantile(histogram, 0.90);
        flight.p99_cycles = latency_quantile(histogram, 0.99);
    }
    raw.loads_in_flight.push_back(flight);
}

template <int BYTES, int UNROLL>
void measure_reads_and_copies(Bench& bench, RawMeasurements& raw) {
    for (const int threads : {32, 64, 128, 256, 512, 768, 1024, 2048}) {
        if (threads > 32 * raw.machine.warps_per_multiprocessor) continue;
        measure_loads_in_flight<BYTES, UNROLL, false>(bench, raw, threads);
        measure_loads_in_flight<BYTES, UNROLL, true>(bench, raw, threads);
    }
}

}  // namespace

void measure_latency_under_load(Bench& bench, RawMeasurements& raw) {
    measure_reads_and_copies<4, 1>(bench, raw);
    measure_reads_and_copies<8, 1>(bench, raw);
    measure_reads_and_copies<16, 1>(bench, raw);
    measure_reads_and_copies<4, 4>(bench, raw);
    measure_reads_and_copies<16, 2>(bench, raw);
    measure_reads_and_copies<16, 4>(bench, raw);
}

}  // namespace coalesce::timing
