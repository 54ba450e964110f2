// Defines the limits and properties of the simulated GPU.
#pragma once

#include "simulator/base/types.h"

namespace coalesce::simulator {

/// The limits and properties of the simulated device. They match an H200 (compute capability 9.0).
/// cudart/device_properties.cpp reports them, launches enforce them, and README.md documents them.
struct DeviceModel {
    // The members are named as in cudaDeviceProp.
    // NOLINTBEGIN(readability-identifier-naming)
    static constexpr const char* name = "Coalesce simulated GPU (sm_90)";
    static constexpr u32 capability = 90;
    static constexpr u32 multiprocessors = 132;
    static constexpr u32 max_threads_per_block = 1024;
    static constexpr u32 max_threads_per_multiprocessor = 2048;
    static constexpr u32 max_blocks_per_multiprocessor = 32;
    static constexpr u32 registers_per_multiprocessor = 65536;
    static constexpr u32 shared_per_block = 48 * 1024;
    static constexpr u32 shared_per_block_optin = 227 * 1024;
    static constexpr u32 shared_per_multiprocessor = 228 * 1024;
    static constexpr u32 shared_reserved_per_block = 1024;
    /// The part of the reserved shared memory that CUDA itself uses, for example for cooperative
    /// groups, in bytes.
    static constexpr u32 shared_reserved_used = 288;
    /// The offset of the reserved bytes in shared memory. A kernel's own variables start at 0 and
    /// cannot reach this offset. On an H200, the reserved bytes come first, and variables start at
    /// 1024.
    static constexpr u32 shared_reserved_begin = shared_per_block_optin;
    static constexpr u32 parameter_bytes_max = 32764;
    static constexpr u32 portable_cluster_size = 8, max_cluster_size = 16;
    /// The number of multiprocessors in each group. All blocks of a cluster run in the same group.
    /// Group sizes differ from chip to chip. With the sizes below, cudaOccupancyMaxActiveClusters
    /// returns the same results as on the H200 that we measured, for clusters of 1 to 16 blocks.
    static constexpr u32 processor_groups[] = {18, 18, 16, 16, 16, 16, 16, 8, 2, 2, 2, 2};
    /// The maximum number of blocks per multiprocessor that cudaOccupancyMaxActiveClusters counts,
    /// even if more would fit.
    static constexpr u32 max_counted_cluster_blocks = 8;
    // NOLINTEND(readability-identifier-naming)
};

}  // namespace coalesce::simulator
