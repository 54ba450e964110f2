/// \file
/// A single launch of a kernel on one shape, and everything observed during it.
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

/// The ways to observe a launch.
enum class Watch {
    /// all checks are enabled; on the simulator, buffers have no guard bands, because guard bands
    /// hide out-of-bounds accesses
    everything,
    /// checks are disabled and buffers have guard bands, so that the kernel runs to completion
    result_alone
};

/// The warp whose accesses are to be recorded.
struct TracedWarp {
    std::uint64_t block = 0;  ///< linear index of the block (x varies fastest)
    unsigned warp = 0;        ///< the warp within the block
    std::size_t limit = 0;    ///< maximum number of accesses to record; 0 to record none
};
/// The maximum number of accesses to record. It is large enough for every lesson.
constexpr std::size_t kMaxTracedAccesses = 1024;
/// The first warp of the first block.
constexpr TracedWarp kFirstWarp{.limit = kMaxTracedAccesses};

/// The block whose steps are to be recorded.
struct TracedBlock {
    std::uint64_t block = 0;  ///< linear index of the block (x varies fastest)
    std::size_t steps = 0;    ///< maximum number of steps to record; 0 to record none
    /// If set, the first block that stores to this byte is recorded instead of `block`. The pair
    /// contains the argument index of an array, and the offset of the byte in that array.
    std::optional<std::pair<std::size_t, std::uint64_t>> stored_byte = {};
};
/// The maximum number of steps to record. A block of lesson 18 takes 5,416 steps, and a web page
/// records this many steps within two seconds.
constexpr std::size_t kMaxTracedSteps = 6000;
/// The maximum number of steps to record if the kernel's mistake occurs after more than
/// kMaxTracedSteps steps.
constexpr std::size_t kMaxStepsToMistake = 20000;

/// The launch to make.
struct TrialRequest {
    Shape shape{0, 0};                ///< shape of the input
    Watch watch = Watch::everything;  ///< how to observe the launch
    bool needs_counters = false;  ///< whether to count costs, in total and by line; simulated only
    TracedWarp traced = {};       ///< the warp to trace; simulated only
    TracedBlock traced_block = {};  ///< the block to trace; simulated only
    std::uint64_t seed = 0;         ///< seed for the order of blocks and warps; simulated only
    /// Threads per block along x, y and z. They replace the block size that `configure` returns, to
    /// test whether the block size causes a failure. Zeros keep the block size from `configure`.
    std::array<long long, 3> block{};
    /// bytes of dynamic shared memory; 0 to use the value from `configure`
    long long shared_bytes = 0;
    /// Warp instructions to allow in addition to the limit for the shape. For an ElementTask, this
    /// number grows with the instructions that the reference executes.
    std::uint64_t more_instructions = 0;
    /// A second limit on warp instructions, in addition to the limit for the shape. 0 means no
    /// second limit. Simulated only.
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
    std::string bytes = "";  ///< the contents; empty if the kernel did not run to completion
    bool is_written_before = false;  ///< whether the guard band before the array was changed
    bool is_written_after = false;   ///< whether the guard band after the array was changed
};

/// The results of a launch.
struct Trial {
    Shape shape{0, 0};
    LaunchShape launch;
    /// the reason why the launch was refused; its kind is `none` if it was not refused
    Failure launch_failure;
    bool is_launched = false;
    int error = 0;         ///< the error of the launch, as a cudaError_t
    bool is_hung = false;  ///< whether a real GPU did not finish the launch in time
    std::vector<simulated::Report> reports;  ///< reports of the simulator's checks
    std::optional<Comparison> comparison;  ///< comparison of the output; empty if the kernel failed
    /// the arrays after the launch, in the order of the arguments; empty if the kernel takes
    /// matrices
    std::vector<ArrayAfter> arrays;
    /// The comparison of the outputs of an ElementTask. If it is set, `comparison` is empty.
    std::optional<ElementComparison> element_comparison;
    std::uint64_t out_address = 0, in_address = 0;  ///< addresses of the buffers
    std::vector<simulated::Access> accesses;        ///< accesses of the traced warp
    std::string block_trace;                        ///< the steps of the traced block, as JSON
    int store_line = 0;                  ///< first line that stored to device memory; 0 if unknown
    Counters counters;                   ///< the costs, if requested
    BulkCopies bulk_copies;              ///< bulk copies; `counters` includes their costs
    std::vector<LineCounters> lines;     ///< costs by line, if requested
    std::uint64_t instructions = 0;      ///< number of warp instructions executed; simulated only
    std::uint64_t print_call_count = 0;  ///< printf calls, counted once per warp; simulated only

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

/// The two matrices of a launch, in device memory. `in` is null for a kernel that takes a single
/// matrix.
struct Matrices {
    float* out = nullptr;
    const float* in = nullptr;
};

/// Launches the kernel once on the device of this process. Resets the simulator's counters before
/// the launch, and clears the last CUDA error afterwards. Calls `make_matrices` only if the kernel
/// can be launched. The caller must compare the matrices with the correct result.
Trial launch_once(LoadedKernel& kernel, const TrialRequest& request,
                  const std::function<Matrices()>& make_matrices);

/// Like the overload for matrices, but launches a kernel with any signature. `make_arguments`
/// returns the bits of each argument.
Trial launch_once(LoadedKernel& kernel, const TrialRequest& request,
                  const std::function<std::vector<std::uint64_t>()>& make_arguments);

/// The arrays of a launch, in device memory. Each array has its own buffer with guard bands.
class DeviceArrays {
public:
    /// Copies the arrays among the arguments to the device. If `guard_bytes` is 0, there are no
    /// guard bands.
    DeviceArrays(const std::vector<CallArgument>& arguments, std::size_t guard_bytes);
    /// Returns the bits of each argument: a scalar's value, or an array's address.
    const std::vector<std::uint64_t>& arguments() const { return arguments_; }
    /// Copies the arrays back from the device.
    std::vector<ArrayAfter> read_arrays() const;
    /// Returns the arrays with their addresses, but without their contents.
    std::vector<ArrayAfter> list_addresses() const;

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
