// Predicts a kernel's time on a GPU, for the matrix size at which we measured real GPUs.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "examiner/course/exercise.h"
#include "examiner/failure.h"
#include "examiner/sampled_matrix.h"
#include "harness/counters.h"
#include "harness/predicted.h"
#include "timing/words.h"

namespace coalesce {

class LoadedKernel;

/// Returns the shape for which the time of an exercise is predicted: 8192 x 8192, rounded up to the
/// multiples that the exercise requires. At that size, the matrices of most lessons do not fit into
/// the L2 cache of a GPU.
Shape predicted_shape(const Exercise& exercise);

/// Thrown if the sampled blocks of a predicted launch do not store the correct values.
struct WrongSampledValues : std::runtime_error {
    explicit WrongSampledValues(SampledValues sampled_values)
        : std::runtime_error("its blocks store wrong values"), state(sampled_values) {}
    SampledValues state;
};

/// Thrown if the kernel cannot be launched on a matrix of the predicted size.
struct NotLaunched : std::runtime_error {
    explicit NotLaunched(Failure refusal)
        : std::runtime_error(refusal.headline), failure(std::move(refusal)) {}
    Failure failure;
};

/// The costs of a predicted launch, estimated from the sampled blocks.
struct SampledCosts {
    /// The estimated costs of the whole launch, or nothing if the blocks store nothing.
    std::optional<Counters> counters = {};
    /// Whether the sample shows that the grid has enough blocks to store the whole output.
    bool can_store_all = false;
};

/// The options of a predicted launch.
struct PredictedLaunchOptions {
    /// The matrix with which the sampled blocks are checked, or null for no check. If the blocks do
    /// not store the correct values, WrongSampledValues is thrown.
    const SampledMatrix* sampled = nullptr;
    std::uint64_t max_instructions = 0;  ///< additional limit on warp instructions; 0 for none
    std::uint64_t seed = 0;    ///< seed for the choice of sampled blocks; 0 for the default choice
    bool must_launch = false;  ///< whether to throw NotLaunched if the launch is refused
    /// The object that receives the costs of the launch, or null. Costs are counted only if
    /// `sampled` is set.
    SampledCosts* costs = nullptr;
};

/// Predicts the time of a kernel by launching a few of its blocks on the simulator. Returns nothing
/// if the model cannot predict a time. `in_place` must be set if the kernel takes only one matrix.
/// Disables the simulator's checks, and leaves them disabled.
std::optional<Predicted> predict_launch(LoadedKernel& kernel, bool in_place, Shape shape,
                                        const PredictedLaunchOptions& options = {});

/// Describes a prediction in sentences.
timing::TimeExplanation describe_prediction(const Predicted& predicted);
/// Describes the predicted time and its cause, as in "Time at 8192 x 8192: about 0.14 ms, 91 % of a
/// copy (predicted, NVIDIA H200, within 8 %). Memory is ...".
std::string format_prediction(const Predicted& predicted);
/// Compares the learner's kernel with the solution, as in "At 8192 x 8192 the solution takes about
/// 0.14 ms, yours 0.21 ms: 1.5 times as fast (...). Why: ...". Returns "" if the learner's kernel
/// is not slower.
std::string format_comparison(const Predicted& kernel_prediction, const Predicted& solution);

}  // namespace coalesce
