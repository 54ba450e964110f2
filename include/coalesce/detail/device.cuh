/// \file
/// Reports whether a device has fast memory. Some kernels are used only on such devices.
#pragma once

#include <cuda_runtime.h>

#include <atomic>

namespace coalesce::transposing {

/// The minimum bandwidth, in bytes per second, of memory that counts as fast. On an H200 (4.8e12),
/// the link between the two halves of the L2 cache limits a transpose. On an H100 (3.35e12), memory
/// is the limit.
constexpr double min_fast_bytes_per_second = 4e12;

/// Reports whether the memory of the current device is fast. Each device is queried only once.
inline bool has_fast_memory() {
    constexpr int max_devices = 64;
    enum MemorySpeed : signed char { unknown, slow, fast };
    static std::atomic<signed char> memory_speeds[max_devices];
    int device = 0, memory_kilohertz = 0, memory_bus_bits = 0;
    if (cudaGetDevice(&device) != cudaSuccess || device >= max_devices) return false;
    signed char memory_speed = memory_speeds[device].load(std::memory_order_relaxed);
    if (memory_speed == unknown) {
        cudaDeviceGetAttribute(&memory_kilohertz, cudaDevAttrMemoryClockRate, device);
        cudaDeviceGetAttribute(&memory_bus_bits, cudaDevAttrGlobalMemoryBusWidth, device);
        // Memory transfers data twice per clock cycle.
        const double bytes_per_second = 2e3 * memory_kilohertz * memory_bus_bits / 8;
        memory_speed = bytes_per_second >= min_fast_bytes_per_second ? fast : slow;
        memory_speeds[device].store(memory_speed, std::memory_order_relaxed);
    }
    return memory_speed == fast;
}

}  // namespace coalesce::transposing
