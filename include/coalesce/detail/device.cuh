/// \file
/// Reports whether a device has fast memory, on which some choices of kernels depend.
#pragma once

#include <cuda_runtime.h>

#include <atomic>

namespace coalesce::transposing {

/// The minimum bandwidth, in bytes per second, of memory that counts as fast. On an H200 (4.8e12),
/// the link between the two halves of the L2 cache limits a transpose. On an H100 (3.35e12), memory
/// is the limit.
constexpr double min_fast_memory = 4e12;

/// Reports whether the memory of the current device is fast. Queries each device only once.
inline bool has_fast_memory() {
    constexpr int most_devices = 64;
    enum MemorySpeed : signed char { unknown, slow, fast };
    static std::atomic<signed char> known[most_devices];
    int device = 0, kilohertz = 0, bits = 0;
    if (cudaGetDevice(&device) != cudaSuccess || device >= most_devices) return false;
    signed char answer = known[device].load(std::memory_order_relaxed);
    if (answer == unknown) {
        cudaDeviceGetAttribute(&kilohertz, cudaDevAttrMemoryClockRate, device);
        cudaDeviceGetAttribute(&bits, cudaDevAttrGlobalMemoryBusWidth, device);
        // Memory transfers data twice per clock cycle.
        const double bandwidth = 2e3 * kilohertz * bits / 8;
        answer = bandwidth >= min_fast_memory ? fast : slow;
        known[device].store(answer, std::memory_order_relaxed);
    }
    return answer == fast;
}

}  // namespace coalesce::transposing
