// Predicts the time of a kernel on a GPU, at the size at which GPUs are measured.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>

#include "examiner/course/exercise.h"
#include "examiner/sampled_matrix.h"
#include "harness/predicted.h"
#include "timing/words.h"

namespace coalesce {

class LoadedKernel;

/// Returns the shape for which an exercise's time is predicted: about 8192 x 8192, rounded to the exercise's
/// multiples. At that size few matrices of a lesson fit into the L2 cache of a GPU.
Shape predicted_shape(const Exercise& exercise);

/// Thrown if the sampled blocks of a predicted launch store wrong values.
struct NotMoved : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Launches a few blocks of the kernel on the simulator, whose checks stay off afterwards. With `in_place` the kernel
/// takes only one matrix. Returns nothing if the model cannot predict a time, or if the kernel prints, because the
/// few blocks would not print what the whole launch does. With `sampled` the blocks must move what it says; throws
/// NotMoved if they do not.
std::optional<Predicted> predict_launch(LoadedKernel& kernel, bool in_place, Shape shape,
                                        const SampledMatrix* sampled = nullptr);

/// Describes a prediction in sentences.
timing::Told told_of(const Predicted& predicted);
/// Returns "At 8192 x 8192 about 0.14 ms, 91 % of a copy (predicted, NVIDIA H200, within 8 %). Memory is ...".
std::string predicted_text(const Predicted& predicted);
/// Returns "At 8192 x 8192 the solution takes about 0.14 ms, yours 0.21 ms: 1.5 times as fast (...). Why: ...", or ""
/// if the learner's kernel is not slower.
std::string compared_text(const Predicted& yours, const Predicted& solution);

}  // namespace coalesce
