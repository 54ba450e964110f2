/// \file
/// A single launch of a kernel on one shape, with everything that was observed.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "examiner/elements/comparison.h"
#include "examiner/failure.h"
#include "examiner/launch_shape.h"
#include "examiner/simulated.h"
#include "harness/device_buffer.h"
#include "harness/verify.h"

namespace coalesce {

class LoadedKernel;

/// How a launch is observed.
enum class Watch {
    /// all checks; on the simulator without guard bands, which would hide out-of-bounds accesses
    everything,
    result_alone  ///< buffers with guard bands but no checks, so that the kernel runs to completion
};

/// The warp whose accesses are to be recorded.
struct TracedWarp {
    std::uint64_t block = 0;  ///< the block, counted with x fastest
    unsigned warp = 0;        ///< the warp within the block
    std::size_t limit = 0;    ///< maximum number of accesses to record; 0 to record none
};
/// The maximum number of accesses that are recorded, which is enough for every lesson.
constexpr std::size_t kMaxTracedAccesses = 1024;
constexpr TracedWarp kFirstWarp{.limit = kMaxTracedAccesses};

/// The block whose steps are to be recorded.
struct TracedBlock {
    std::uint64_t block = 0;  ///< the block, counted with x fastest
    std::size_t steps = 0;    ///< maximum number of steps to record; 0 to record none
    /// If set, the first block that stores to this byte of an array is recorded instead. The array
    /// is the argument with this number, counted from 0.
    std::optional<std::pair<std::size_t, std::uint64_t>> stored_byte = {};
};
/// The number of steps that are recorded, enough for a block of 1024 threads.
constexpr std::size_t kMaxTracedSteps = 2000;

/// The launch to make.
struct TrialRequest {
    Shape shape{0, 0};                ///< shape of the input
    Watch watch = Watch::everything;  ///< how to observe the launch
    bool wants_counters = false;      ///< whether to return counters and lines; simulated only
    TracedWarp traced = {};           ///< the warp to trace; simulated only
    TracedBlock traced_block = {};    ///< the block to trace; simulated only
    std::uint64_t seed = 0;           ///< selects an order of blocks and warps; simulated only
    /// Threads per block that replace the block from `configure`, to find out whether the block
    /// size is to blame. Zeros leave the block as it is.
    std::array<long long, 3> block{};
    long long shared_bytes = 0;  ///< bytes of dynamic shared memory; 0 for those of `configure`
    /// Warp instructions to allow in addition to the limit for a matrix of this shape. For
    /// exercises beyond the transpose, the reference's instructions determine the number.
    std::uint64_t more_instructions = 0;
    /// A second limit on the warp instructions, besides the limit for the shape. 0 means no second
    /// limit. Simulated only.
    std::uint64_t max_instructions = 0;
};

/// An argument of a launch.
struct CallArgument {
    bool is_array = false;
    std::uint64_t value = 0;    ///< the bytes of a scalar, followed by zeros
    std::string bytes = "";     ///< the bytes of an array before the launch
    bool is_unwritten = false;  ///< whether reading the array before writing it is an error
};

/// An array in device memory after a launch.
struct ArrayAfter {
    std::uint64_t address = 0;
    std::string bytes = "";          ///< empty if the kernel did not run to completion
    bool is_written_before = false;  ///< whether the guard band before the array was changed
    bool is_written_after = false;   ///< whether the guard band after the array was changed
};

/// The results of a launch.
struct Trial {
    Shape shape{0, 0};
    LaunchShape launch;
    Failure launch_failure;                  ///< why the launch was refused, or kind none
    bool is_launched = false;                ///< whether the kernel was launched
    int error = 0;                           ///< cudaError_t of the launch or its completion
    bool is_hung = false;                    ///< whether a real GPU failed to finish in time
    std::vector<simulated::Report> reports;  ///< reports of the simulator's checks
    std::optional<Comparison> comparison;    ///< present if the kernel ran to completion
    std::vector<ArrayAfter> arrays;          ///< arrays of a launch with arguments, in their order
    /// The comparison for an exercise beyond the transpose, in place of `comparison`.
    std::optional<ElementComparison> element_comparison;
    std::uint64_t out_address = 0, in_address = 0;  ///< addresses of the buffers
    std::vector<simulated::Access> accesses;        ///< accesses of the traced warp
    std::string block_trace;                        ///< the steps of the traced block, as JSON
    int store_line = 0;                             ///< the first line that stored to device memory
    Counters counters;                              ///< the costs, if requested
    std::vector<LineCounters> lines;                ///< costs by line, if requested
    std::uint64_t instructions = 0;                 ///< warp instructions; simulated only
    std::uint64_t print_calls = 0;                  ///< printf calls of warps; simulated only

    /// Reports whether the kernel ran to completion, so that its output can be compared.
    bool has_ended() const {
        return launch_failure.kind == FailureKind::none && is_launched && error == 0 && !is_hung;
    }
    /// Reports whether the kernel ran to completion and produced the correct result, and no check
    /// reported anything.
    bool is_good() const {
        return has_ended() && reports.empty() &&
               ((comparison && comparison->is_right()) ||
                (element_comparison && element_comparison->is_right()));
    }
    /// Returns the number of elements in each matrix.
    std::uint64_t elements() const {
        return static_cast<std::uint64_t>(shape.rows) * static_cast<std::uint64_t>(shape.cols);
    }
};

/// A function that launches the same kernel again, as described by a TrialRequest.
using RelaunchFunction = std::function<Trial(const TrialRequest&)>;

/// The two matrices of a launch, in device memory.
struct Matrices {
    float* out = nullptr;
    const float* in = nullptr;
};

/// Launches the kernel once on the device of this process. The counters start from zero, and the
/// simulator clears its errors afterwards. `make_matrices` is called only if the kernel can be
/// launched. The caller must compare the contents of the matrices with the correct result.
Trial launch_once(LoadedKernel& kernel, const TrialRequest& order,
                  const std::function<Matrices()>& make_matrices);

/// Launches a kernel of any signature once, in the same way. `make_arguments` returns the bits of
/// each argument.
Trial launch_once(LoadedKernel& kernel, const TrialRequest& order,
                  const std::function<std::vector<std::uint64_t>()>& make_arguments);

/// The arrays of a launch in device memory, each in a buffer of its own with guard bands.
class DeviceArrays {
public:
    /// Copies the arrays among the arguments to the device. If `guard_bytes` is 0, there are no
    /// guard bands.
    DeviceArrays(const std::vector<CallArgument>& arguments, std::size_t guard_bytes);
    /// Returns the bits of each argument: a scalar's value, or an array's address.
    const std::vector<std::uint64_t>& arguments() const { return arguments_; }
    /// Copies the arrays back from the device.
    std::vector<ArrayAfter> read() const;
    /// Returns the addresses of the arrays, without reading their contents.
    std::vector<ArrayAfter> addresses() const;

private:
    struct Buffer {
        DeviceBuffer memory;
        std::size_t bytes = 0;
    };
    std::vector<Buffer> buffers_;
    std::vector<std::uint64_t> arguments_;
    std::size_t guard_bytes_ = 0;
};

}  // namespace coalesce
