#include "lab/calibrate/bench.h"

#include <algorithm>
#include <ctime>

#include "base/files.h"
#include "harness/text.h"
#include "lab/calibrate/device.h"

namespace coalesce::timing {
namespace {

int attribute(cudaDeviceAttr which) {
    int value = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&value, which, 0));
    return value;
}

/// Returns the size of a buffer: the largest power of two, up to 4 GiB, at which two buffers fit in
/// memory with space to spare. No lesson moves more than 4 GiB.
std::size_t buffer_bytes() {
    std::size_t free = 0, total = 0;
    CUDA_CHECK(cudaMemGetInfo(&free, &total));
    std::size_t bytes = std::size_t{4} << 30;
    while (bytes > free / 3) bytes /= 2;
    if (bytes < std::size_t{256} << 20) {
        throw UsageError(
            "calibrate needs a GPU with 1 GiB of free memory; end other programs that use the GPU");
    }
    return bytes;
}

/// Copies `count` elements `turns` times, or waits 20 ms if `count` is 0. One thread per block
/// reads the cycle counter and the global timer, both before and afterwards.
__global__ void watch_clocks(const uint4* in, uint4* out, std::size_t count, int turns,
                             std::uint64_t* result_counters) {
    const long long cycles = cycles_now(), ns = nanoseconds_now();
    const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
    for (int turn = 0; turn < turns; ++turn) {
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
__global__ void fill(unsigned* words, std::size_t count) {
    const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
        auto v = static_cast<unsigned>(i) * 0x9e3779b1u + static_cast<unsigned>(i >> 32);
        v = (v ^ v >> 16) * 0x85ebca6bu;
        v = (v ^ v >> 13) * 0xc2b2ae35u;
        words[i] = v ^ v >> 16;
    }
}

std::string today() {
    const std::time_t now = std::time(nullptr);
    char text[16];
    std::strftime(text, sizeof text, "%Y-%m-%d", std::gmtime(&now));
    return text;
}

/// Returns the driver's version, such as "580.95.05". If the driver does not report it, returns the
/// CUDA version that it supports.
std::string driver_version() {
    const std::string text = read_if_exists("/proc/driver/nvidia/version").value_or("");
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find_first_of(" \n", at), text.size());
        const std::string word = text.substr(at, end - at);
        if (word.find_first_not_of("0123456789.") == std::string::npos &&
            word.find('.') != std::string::npos) {
            return word;
        }
        at = end + 1;
    }
    int driver = 0;
    CUDA_CHECK(cudaDriverGetVersion(&driver));
    return format("for CUDA %d.%d", driver / 1000, driver % 1000 / 10);
}

}  // namespace

Bench::Bench()
    : in_(buffer_bytes()),
      out_(in_.bytes()),
      result_counters_(std::size_t{64} << 20),
      stopwatch_(static_cast<std::size_t>(attribute(cudaDevAttrL2CacheSize))) {
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
    machine_.compute = format("%d.%d", properties.major, properties.minor);
    machine_.driver = driver_version();
    machine_.date = today();
    machine_.multiprocessors = properties.multiProcessorCount;
    machine_.warps = properties.maxThreadsPerMultiProcessor / 32;
    machine_.blocks = attribute(cudaDevAttrMaxBlocksPerMultiprocessor);
    machine_.registers = properties.regsPerMultiprocessor;
    machine_.shared_bytes = static_cast<int>(properties.sharedMemPerMultiprocessor);
    machine_.system_shared_bytes = attribute(cudaDevAttrReservedSharedMemoryPerBlock);
    machine_.l2_bytes = attribute(cudaDevAttrL2CacheSize);
    // The clock rate is in kHz, memory makes two transfers per clock, and the bus width is in bits.
    machine_.peak_gbps = 2.0 * attribute(cudaDevAttrMemoryClockRate) * 1e3 *
                         attribute(cudaDevAttrGlobalMemoryBusWidth) / 8 / 1e9;
    machine_.buffer_bytes = static_cast<double>(bytes());
}

void Bench::measure_clocks() {
    const auto ghz = [&](std::size_t count, int turns) {
        const int blocks = multiprocessors();
        // These runs make the GPU raise its clock rate.
        for (int time = 0; time < 3; ++time) {
            watch_clocks<<<blocks, 1024>>>(reinterpret_cast<const uint4*>(in()),
                                           reinterpret_cast<uint4*>(out()), count, turns,
                                           result_counters());
            CUDA_CHECK(cudaDeviceSynchronize());
        }
        double cycles = 0, ns = 0;
        const std::vector<std::uint64_t> seen =
            read_result_counters(2 * static_cast<std::size_t>(blocks));
        for (std::size_t i = 0; i < seen.size(); i += 2) {
            cycles += static_cast<double>(seen[i]);
            ns += static_cast<double>(seen[i + 1]);
        }
        return cycles / ns;
    };
    machine_.idle_memory_clock_ghz = ghz(0, 0);
    machine_.clock_ghz = ghz(bytes() / sizeof(uint4), 20);
}

void Bench::fill_buffers() const {
    for (char* buffer : {in(), out()}) {
        fill<<<1024, 256>>>(reinterpret_cast<unsigned*>(buffer), bytes() / sizeof(unsigned));
        CUDA_CHECK(cudaGetLastError());
    }
    CUDA_CHECK(cudaDeviceSynchronize());
}

void Bench::clear_result_counters() const {
    CUDA_CHECK(cudaMemset(result_counters_.data(), 0, result_counters_.bytes()));
}

std::vector<std::uint64_t> Bench::read_result_counters(std::size_t count) const {
    std::vector<std::uint64_t> seen(count);
    CUDA_CHECK(cudaMemcpy(seen.data(), result_counters_.data(), count * sizeof seen[0],
                          cudaMemcpyDeviceToHost));
    return seen;
}

double Bench::ms(const std::function<void()>& launch, int times,
                 const std::function<void()>& before) const {
    std::vector<double> all;
    for (int time = 0; time <= times; ++time) {
        before();
        CUDA_CHECK(cudaEventRecord(start_, nullptr));
        launch();
        CUDA_CHECK(cudaGetLastError());
        CUDA_CHECK(cudaEventRecord(stop_, nullptr));
        CUDA_CHECK(cudaEventSynchronize(stop_));
        float ms = 0;
        CUDA_CHECK(cudaEventElapsedTime(&ms, start_, stop_));
        if (time > 0) all.push_back(static_cast<double>(ms));
    }
    return summarize_timings(all).ms;
}

double Bench::median_ms_with_cold_cache(const std::function<void()>& launch, int times) {
    std::vector<double> all;
    stopwatch_.time_once_on_device(launch);
    for (int time = 0; time < times; ++time) all.push_back(stopwatch_.time_once_on_device(launch));
    return summarize_timings(all).ms;
}

std::size_t shared_bytes_for_residency(const MeasuredGpu& machine, int resident) {
    // Each block gets 1/resident of the shared memory, so that exactly `resident` blocks fit. One
    // more block would fit only if no block used more than 1/(resident + 1).
    const int share = machine.shared_bytes / resident / 128 * 128;
    const int most = 1024 * ((machine.shared_bytes - 1024) / 1024);
    return static_cast<std::size_t>(std::max(
        0, std::min(share - machine.system_shared_bytes, most - machine.system_shared_bytes)));
}

}  // namespace coalesce::timing
