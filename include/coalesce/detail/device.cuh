/// \file
/// Reports whether a device has fast memory. Some choices of kernels depend on this.
#pragma once

#include <cuda_runtime.h>

#include <atomic>

namespace coalesce::transposing {

/// The minimum bandwidth, in bytes per second, of memory that counts as fast. On an H200 (4.8e12),
/// the link between the two halves of the L2 cache limits a transpose. On an H100 (3.35e12), memory
/// is the limit.
constexpr double min_fast_bandwidth = 4e12;

/// Reports whether the memory of the current device is fast. Queries each device only once.
inline bool has_fast_memory() {
    constexpr int max_devices = 64;
    enum MemorySpeed : signed char { unknown, slow, fast };
    static std::atomic<signed char> known_speeds[max_devices];
    int device = 0, memory_kilohertz = 0, bus_bits = 0;
    if (cudaGetDevice(&device) != cudaSuccess || device >= max_devices) return false;
    signed char speed = known_speeds[device].load(std::memory_order_relaxed);
    if (speed == unknown) {
        cudaDeviceGetAttribute(&memory_kilohertz, cudaDevAttrMemoryClockRate, device);
        cudaDeviceGetAttribute(&bus_bits, cudaDevAttrGlobalMemoryBusWidth, device);
        // Memory transfers data twice per clock cycle.
        const double bandwidth = 2e3 * memory_kilohertz * bus_bits / 8;
        speed = bandwidth >= min_fast_bandwidth ? fast : slow;
        known_speeds[device].store(speed, std::memory_order_relaxed);
    }
    return speed == fast;
}

}  // namespace coalesce::transposing
