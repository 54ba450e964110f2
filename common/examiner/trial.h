/// \file
/// One launch of a kernel on one shape, and everything that was seen of it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "examiner/failure.h"
#include "examiner/launch_shape.h"
#include "examiner/simulated.h"
#include "harness/verify.h"

namespace coalesce {

class LoadedKernel;

/// How one launch is watched.
enum class Watch {
    everything,   ///< all checks; on the simulator with bare buffers, which hide nothing outside
    result_alone  ///< guarded buffers and no check of accesses, so that it runs to its end
};

/// The accesses of one warp are to be written down too.
struct TracedWarp {
    std::uint64_t block = 0;  ///< x counts fastest
    unsigned warp = 0;        ///< within the block
    std::size_t limit = 0;    ///< accesses at most; 0: nothing is written down
};
/// No lesson's warp does more than a picture can show.
constexpr std::size_t kMostTracedAccesses = 1024;
constexpr TracedWarp kFirstWarp{.limit = kMostTracedAccesses};

/// Which launch.
struct TrialOrder {
    Shape shape{0, 0};                ///< of the input
    Watch watch = Watch::everything;  ///< how
    bool wants_counters = false;      ///< counters and lines too; simulated
    TracedWarp traced = {};           ///< simulated
    std::uint64_t seed = 0;           ///< of another order of blocks and warps; simulated
};

/// What was seen.
struct Trial {
    Shape shape{0, 0};
    LaunchShape launch;
    Failure refused;                                ///< it could not be loaded, or not launched
    bool is_launched = false;                       ///< it was
    int error = 0;                                  ///< cudaError_t of the launch, or how it ended
    bool is_hung = false;                           ///< a real GPU did not end in time
    std::vector<simulated::Report> reports;         ///< of the simulator's checks
    std::optional<Comparison> comparison;           ///< when it ran to its end
    std::uint64_t out_address = 0, in_address = 0;  ///< of the buffers
    std::vector<simulated::Access> accesses;        ///< of the traced warp
    int store_line = 0;                             ///< the first line that stored to device memory
    Counters counters;                              ///< if they were wanted
    std::vector<LineCounters> lines;                ///< likewise

    /// Whether it ran to its end, so that what it left can be compared.
    bool has_ended() const {
        return refused.kind == FailureKind::none && is_launched && error == 0 && !is_hung;
    }
    /// Right, clean, and at its end.
    bool is_good() const {
        return has_ended() && reports.empty() && comparison && comparison->is_right();
    }
    /// Elements of each matrix.
    std::uint64_t elements() const {
        return static_cast<std::uint64_t>(shape.rows) * static_cast<std::uint64_t>(shape.cols);
    }
};

/// Launches a kernel once more, to look at it in another way.
using TryAgain = std::function<Trial(const TrialOrder&)>;

/// The two matrices of a launch, on the device.
struct Matrices {
    float* out = nullptr;
    const float* in = nullptr;
};

/// Launches once, on the device of this process. Counters start from zero; on the simulator errors
/// are forgotten afterwards. `make_matrices` is called when there is a launch to be made; what the
/// kernel leaves there is for the caller to compare.
Trial launch_once(LoadedKernel& kernel, const TrialOrder& order,
                  const std::function<Matrices()>& make_matrices);

}  // namespace coalesce
