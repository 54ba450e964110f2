// One launch of a learner's kernel on one shape, and everything that was seen of it.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/verify.h"
#include "kernel/failure.h"
#include "kernel/loaded_kernel.h"
#include "kernel/simulated.h"

namespace coalesce {

/// What all launches of an examination have in common.
struct TrialConditions {
    std::string file_name;     ///< for places
    std::string kernel;        ///< the function's name
    Produces produces;         ///< what is expected
    std::uint64_t seed = 0;    ///< of the input
    bool is_simulated = true;  ///< with all checks, and reports
    int seconds_on_gpu = 10;   ///< a launch that takes longer is hung
};

/// How one launch is watched.
enum class Watch {
    everything,   ///< all checks; on the simulator with bare buffers, which hide nothing outside
    result_alone  ///< guarded buffers and no check of accesses, so that it runs to its end
};

/// What was seen.
struct Trial {
    Shape shape{0, 0};
    LaunchShape launch;
    Failure refused;                                ///< configure's answer can not be launched
    cudaError_t error = cudaSuccess;                ///< of the launch, or how it ended
    bool is_hung = false;                           ///< a real GPU did not end in time
    std::vector<simulated::Report> reports;         ///< of the simulator's checks
    std::optional<Comparison> comparison;           ///< when it ran to its end
    std::uint64_t out_address = 0, in_address = 0;  ///< of the buffers
    std::vector<simulated::Access> accesses;        ///< of the traced warp
    int store_line = 0;                             ///< the first line that stored to device memory

    /// Right, clean, and at its end.
    bool is_good() const {
        return refused.kind == FailureKind::none && error == cudaSuccess && !is_hung &&
               reports.empty() && comparison && comparison->is_right();
    }
    /// Elements of each matrix.
    std::uint64_t elements() const {
        return static_cast<std::uint64_t>(shape.rows) * static_cast<std::uint64_t>(shape.cols);
    }
};

/// The accesses of one warp are to be written down too.
struct TracedWarp {
    std::uint64_t block = 0;  ///< x counts fastest
    unsigned warp = 0;        ///< within the block
    std::size_t limit = 0;    ///< accesses at most; 0: nothing is written down
};

/// Launches once. Counters start from zero; on the simulator errors are forgotten afterwards.
Trial run_trial(LoadedKernel& kernel, const TrialConditions& conditions, Shape shape, Watch watch,
                const TracedWarp& traced = {});

}  // namespace coalesce
