#include "lab/calibrate/bench.h"

#include <algorithm>
#include <ctime>

#include "base/files.h"
#include "harness/text.h"
#include "lab/calibrate/device.h"

namespace coalesce::timing {
namespace {

int device_attribute(cudaDeviceAttr attribute) {
    int attribute_value = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&attribute_value, attribute, 0));
    return attribute_value;
}

/// Returns the size of a buffer: the largest power of two, up to 4 GiB, at which two buffers fit in
/// memory with space to spare. No lesson moves more than 4 GiB.
std::size_t choose_buffer_bytes() {
    std::size_t free_bytes = 0, total_bytes = 0;
    CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
    std::size_t bytes = std::size_t{4} << 30;
    while (bytes > free_bytes / 3) bytes /= 2;
    if (bytes < std::size_t{256} << 20) {
        throw UsageError(
            "calibrate needs a GPU with 1 GiB of free memory; end other programs that use the GPU");
    }
    return bytes;
}

/// Copies `count` elements `repetitions` times, or waits 20 ms if `count` is 0. One thread per
/// block reads the cycle counter and the global timer, both before and afterwards.
__global__ void copy_and_time(const uint4* in, uint4* out, std::size_t count, int repetitions,
                              std::uint64_t* result_counters) {
    const long long cycles = cycles_now(), ns = nanoseconds_now();
    const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
    for (int repetition = 0; repetition < repetitions; ++repetition) {
        for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
             i += step) {
            out[i] = in[i];
        }
    }
    if (count == 0) {
        while (nanoseconds_now() - ns < 20'000'000) {
        }
    }
    if (threadIdx.x == 0) {
        result_counters[2 * blockIdx.x] = static_cast<std::uint64_t>(cycles_now() - cycles);
        result_counters[2 * blockIdx.x + 1] = static_cast<std::uint64_t>(nanoseconds_now() - ns);
    }
}

/// Fills `words` with pseudorandom numbers: the finalizer of MurmurHash3 applied to each index.
__global__ void fill_with_index(unsigned* words, std::size_t count) {
    const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
        auto v = static_cast<unsigned>(i) * 0x9e3779b1u + static_cast<unsigned>(i >> 32);
        v = (v ^ v >> 16) * 0x85ebca6bu;
        v = (v ^ v >> 13) * 0xc2b2ae35u;
        words[i] = v ^ v >> 16;
    }
}

std::string format_today() {
    const std::time_t now_seconds = std::time(nullptr);
    char date_text[16];
    std::strftime(date_text, sizeof date_text, "%Y-%m-%d", std::gmtime(&now_seconds));
    return date_text;
}

/// Returns the driver's version, such as "580.95.05". If the driver does not report it, returns the
/// CUDA version that it supports.
std::string read_driver_version() {
    const std::string text = read_if_exists("/proc/driver/nvidia/version").value_or("");
    for (std::size_t word_start = 0; word_start < text.size();) {
        const std::size_t word_end = std::min(text.find_first_of(" \n", word_start), text.size());
        const std::string word = text.substr(word_start, word_end - word_start);
        if (word.find_first_not_of("0123456789.") == std::string::npos &&
            word.find('.') != std::string::npos) {
            return word;
        }
        word_start = word_end + 1;
    }
    int cuda_driver_version = 0;
    CUDA_CHECK(cudaDriverGetVersion(&cuda_driver_version));
    return format("for CUDA %d.%d", cuda_driver_version / 1000, cuda_driver_version % 1000 / 10);
}

}  // namespace

Bench::Bench()
    : in_(choose_buffer_bytes()),
      out_(in_.bytes()),
      result_counters_(std::size_t{64} << 20),
      stopwatch_(static_cast<std::size_t>(device_attribute(cudaDevAttrL2CacheSize))) {
    fill_buffers();
    clear_result_counters();
    CUDA_CHECK(cudaEventCreate(&start_));
    CUDA_CHECK(cudaEventCreate(&stop_));
    describe_machine();
    measure_clocks();
}

void Bench::describe_machine() {
    static cudaDeviceProp properties;
    CUDA_CHECK(cudaGetDeviceProperties(&properties, 0));
    compute_ = 10 * properties.major + properties.minor;
    machine_.name = properties.name;
    machine_.compute_capability = format("%d.%d", properties.major, properties.minor);
    machine_.driver_version = read_driver_version();
    machine_.measurement_date = format_today();
    machine_.multiprocessors = properties.multiProcessorCount;
    machine_.warps_per_multiprocessor = properties.maxThreadsPerMultiProcessor / 32;
    machine_.blocks_per_multiprocessor = device_attribute(cudaDevAttrMaxBlocksPerMultiprocessor);
    machine_.registers_per_multiprocessor = properties.regsPerMultiprocessor;
    machine_.shared_bytes_per_multiprocessor =
        static_cast<int>(properties.sharedMemPerMultiprocessor);
    machine_.system_shared_bytes_per_block =
        device_attribute(cudaDevAttrReservedSharedMemoryPerBlock);
    machine_.l2_bytes = device_attribute(cudaDevAttrL2CacheSize);
    // The clock rate is in kHz, memory makes two transfers per clock, and the bus width is in bits.
    machine_.peak_gbps = 2.0 * device_attribute(cudaDevAttrMemoryClockRate) * 1e3 *
                         device_attribute(cudaDevAttrGlobalMemoryBusWidth) / 8 / 1e9;
    machine_.buffer_bytes = static_cast<double>(bytes());
}

void Bench::measure_clocks() {
    const auto measure_clock_ghz = [&](std::size_t count, int repetitions) {
        const int blocks = multiprocessors();
        // These runs make the GPU raise its clock rate.
        for (int repetition = 0; repetition < 3; ++repetition) {
            copy_and_time<<<blocks, 1024>>>(reinterpret_cast<const uint4*>(in()),
                                            reinterpret_cast<uint4*>(out()), count, repetitions,
                                            result_counters());
            CUDA_CHECK(cudaDeviceSynchronize());
        }
        double cycles = 0, ns = 0;
        const std::vector<std::uint64_t> cycles_and_ns =
            read_result_counters(2 * static_cast<std::size_t>(blocks));
        for (std::size_t i = 0; i < cycles_and_ns.size(); i += 2) {
            cycles += static_cast<double>(cycles_and_ns[i]);
            ns += static_cast<double>(cycles_and_ns[i + 1]);
        }
        return cycles / ns;
    };
    machine_.idle_memory_clock_ghz = measure_clock_ghz(0, 0);
    machine_.clock_ghz = measure_clock_ghz(bytes() / sizeof(uint4), 20);
}

void Bench::fill_buffers() const {
    for (char* buffer : {in(), out()}) {
        fill_with_index<<<1024, 256>>>(reinterpret_cast<unsigned*>(buffer),
                                       bytes() / sizeof(unsigned));
        CUDA_CHECK(cudaGetLastError());
    }
    CUDA_CHECK(cudaDeviceSynchronize());
}

void Bench::clear_result_counters() const {
    CUDA_CHECK(cudaMemset(result_counters_.data(), 0, result_counters_.bytes()));
}

std::vector<std::uint64_t> Bench::read_result_counters(std::size_t count) const {
    std::vector<std::uint64_t> counters(count);
    CUDA_CHECK(cudaMemcpy(counters.data(), result_counters_.data(), count * sizeof counters[0],
                          cudaMemcpyDeviceToHost));
    return counters;
}

double Bench::ms(const std::function<void()>& launch, int times,
                 const std::function<void()>& run_before) const {
    std::vector<double> all_ms;
    for (int time = 0; time <= times; ++time) {
        run_before();
        CUDA_CHECK(cudaEventRecord(start_, nullptr));
        launch();
        CUDA_CHECK(cudaGetLastError());
        CUDA_CHECK(cudaEventRecord(stop_, nullptr));
        CUDA_CHECK(cudaEventSynchronize(stop_));
        float ms = 0;
        CUDA_CHECK(cudaEventElapsedTime(&ms, start_, stop_));
        if (time > 0) all_ms.push_back(static_cast<double>(ms));
    }
    return summarize_timings(all_ms).ms;
}

double Bench::median_ms_with_cold_cache(const std::function<void()>& launch, int times) {
    std::vector<double> runs;
    stopwatch_.time_once_on_device(launch);
    for (int time = 0; time < times; ++time) runs.push_back(stopwatch_.time_once_on_device(launch));
    return summarize_timings(runs).ms;
}

std::size_t shared_bytes_for_residency(const MeasuredGpu& machine, int resident_blocks) {
    // Each block gets 1/resident_blocks of the shared memory, so that exactly `resident_blocks`
    // blocks fit. One more block would fit only if no block used more than 1/(resident_blocks + 1).
    const int bytes_per_block =
        machine.shared_bytes_per_multiprocessor / resident_blocks / 128 * 128;
    const int max_block_bytes = 1024 * ((machine.shared_bytes_per_multiprocessor - 1024) / 1024);
    return static_cast<std::size_t>(
        std::max(0, std::min(bytes_per_block - machine.system_shared_bytes_per_block,
                             max_block_bytes - machine.system_shared_bytes_per_block)));
}

}  // namespace coalesce::timing
