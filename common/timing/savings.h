// Finds out how much time a launch would save without its inefficiencies.
//
// Idea   Each inefficiency has a recording of its own: a copy of the launch's recording in which
//        one source line, or the whole kernel, works as it should. For example, the lanes of a load
//        read neighbouring words, or a loop takes the same number of iterations in every lane. The
//        saving is the difference of the two predicted times. Waste of a resource that is not the
//        bottleneck therefore saves nothing.
#pragma once

#include <vector>

#include "timing/gpu.h"
#include "timing/prediction.h"
#include "timing/recording.h"

namespace coalesce::timing {

/// Returns the savings of a launch, in no particular order. `prediction` is the prediction of
/// `recording`.
std::vector<Saving> find_savings(const Recording& recording, const Prediction& prediction,
                                 const Gpu& gpu);

}  // namespace coalesce::timing
