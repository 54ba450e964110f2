// What a launch is asked for, and how it ends.
#pragma once

#include "simulator/base/types.h"

namespace coalesce::simulator {

/// The outcome of a launch, in terms of the CUDA runtime's error numbers.
enum class Status : int {
    success = 0,
    invalid_value = 1,
    out_of_memory = 2,
    invalid_configuration = 9,
    invalid_ptx = 218,
    unsupported_ptx = 222,  ///< an instruction that the simulator does not know
    illegal_address = 700,
    launch_out_of_resources = 701,
    launch_timeout = 702,  ///< instruction budget spent, or deadlock
    assert_failed = 710,
    misaligned_address = 716,
    illegal_instruction = 715,
    launch_failure = 719,  ///< trap
    cooperative_too_large = 720,
};

struct LaunchConfig {
    Dim3 grid, block;
    u32 dynamic_shared = 0;
    bool cooperative = false;
    Dim3 cluster{1, 1, 1};
    bool explicit_cluster = false;  ///< the launch or the kernel names a cluster's shape

    bool has_clusters() const { return cluster.count() > 1; }
};

}  // namespace coalesce::simulator
