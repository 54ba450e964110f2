// How long a kernel would take on a GPU, at a size at which GPUs are measured.
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

/// Where the time of an exercise's kernel is predicted: about 8192 x 8192, of its multiples. Few matrices of
/// a lesson fit the second-level cache of a GPU at that size.
Shape predicted_shape(const Exercise& exercise);

/// What `sampled` finds in a launch whose time was asked for.
struct NotMoved : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Launches a few blocks of it on the simulator, whose checks are off from then on. `in_place`: it takes
/// one matrix alone. Nothing, if there is no time for it, or if it prints: what it prints there is not
/// what it printed. With `sampled` those blocks have to move what it says: throws NotMoved where they do not.
std::optional<Predicted> predict_launch(LoadedKernel& kernel, bool in_place, Shape shape,
                                        const SampledMatrix* sampled = nullptr);

/// What there is to say of it.
timing::Told told_of(const Predicted& predicted);
/// "At 8192 x 8192 about 0.14 ms, 91 % of a copy (predicted, NVIDIA H200, within 8 %). Memory is ..."
std::string predicted_text(const Predicted& predicted);
/// "At 8192 x 8192 the solution takes about 0.14 ms, yours 0.21 ms: 1.5 times as fast (...). Why: ..."; ""
/// unless yours is the slower one.
std::string compared_text(const Predicted& yours, const Predicted& solution);

}  // namespace coalesce
