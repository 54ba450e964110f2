// Defines the configuration and the outcome of a launch.
#pragma once

#include "simulator/base/types.h"

namespace coalesce::simulator {

/// The outcome of a launch. The values are error numbers of the CUDA runtime.
enum class Status : int {
    success = 0,
    invalid_value = 1,
    out_of_memory = 2,
    invalid_configuration = 9,
    invalid_ptx = 218,
    unsupported_ptx = 222,  ///< the simulator does not support an instruction
    illegal_address = 700,
    launch_out_of_resources = 701,
    launch_timeout = 702,  ///< the instruction limit was reached, or threads deadlocked
    assert_failed = 710,
    misaligned_address = 716,
    illegal_instruction = 715,
    launch_failure = 719,  ///< the kernel executed a trap instruction
    cooperative_too_large = 720,
};

class AccessedRanges;  ///< defined in checks/accessed_ranges.h

struct LaunchConfig {
    Dim3 grid, block;
    u32 dynamic_shared_bytes = 0;
    bool is_cooperative = false;
    Dim3 cluster{1, 1, 1};
    /// True if the launch or the kernel specifies the shape of a cluster.
    bool has_explicit_cluster = false;

    /// The object to which the launch adds the byte ranges that it accesses. Null if the ranges are
    /// not needed.
    AccessedRanges* accessed_ranges = nullptr;
    /// True if `accessed_ranges` needs only the accesses to memory that host and device share. It
    /// then needs no reads of allocations that the kernel does not write.
    bool wants_shared_memory_only = false;
    /// A mask of the devices whose memory the kernel can access, with one bit per device.
    u64 accessible_devices = ~u64{0};

    bool has_clusters() const { return cluster.count() > 1; }
};

}  // namespace coalesce::simulator
