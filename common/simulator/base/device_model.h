// The GPU that is simulated.
#pragma once

#include "simulator/base/types.h"

namespace coalesce::simulator {

/// Limits and properties of the simulated device; cudart/device_properties.cpp reports them and the
/// launch enforces them. Modelled on an H200 (compute capability 9.0), and documented in README.md.
struct DeviceModel {
    // They are read as cudaDeviceProp's members are.
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
    /// Of these the system's own code (cooperative groups) may use the first.
    static constexpr u32 shared_reserved_used = 288;
    /// On an H200 they are the first ones, and a kernel's own variables begin at 1024. Here
    /// variables begin at 0, and these lie where no launch can put any.
    static constexpr u32 shared_reserved_begin = shared_per_block_optin;
    static constexpr u32 parameter_bytes_max = 32764;
    static constexpr u32 portable_cluster_size = 8, max_cluster_size = 16;
    /// Multiprocessors that lie together, so that the blocks of a cluster fit there. Which ones a
    /// chip has differs from one to the next; these give what one H200 answers for clusters of 1 to
    /// 16 blocks (cudaOccupancyMaxActiveClusters).
    static constexpr u32 processor_groups[] = {18, 18, 16, 16, 16, 16, 16, 8, 2, 2, 2, 2};
    /// The most blocks of a multiprocessor that cudaOccupancyMaxActiveClusters counts, also where more would fit.
    static constexpr u32 max_counted_cluster_blocks = 8;
    // NOLINTEND(readability-identifier-naming)
};

}  // namespace coalesce::simulator
