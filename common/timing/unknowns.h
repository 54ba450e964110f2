// Determines which aspects of a launch the model does not cover.
#pragma once

#include "timing/multiprocessor.h"
#include "timing/predict.h"
#include "timing/traffic.h"

namespace coalesce::timing {

/// Adds to `p.unknown` the aspects of the launch that the model does not cover.
void record_unknowns(Prediction& p, const Recording& recording, const Occupancy& occupancy,
                     const MultiprocessorWork& work, const Traffic& traffic);

/// Reports whether the launch reads and writes nearly the same memory, as an in-place kernel does.
bool is_in_place(const Recording& recording);

/// Reports whether the runs that memory reads or writes are on average shorter than a cache line.
bool has_short_runs(const Traffic& traffic);

}  // namespace coalesce::timing
