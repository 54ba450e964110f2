// Finds out what the model does not know about a launch.
#pragma once

#include "timing/multiprocessor.h"
#include "timing/predict.h"
#include "timing/traffic.h"

namespace coalesce::timing {

/// Adds to `p.unknown` what makes this prediction uncertain.
void record_unknowns(Prediction& p, const Recording& recording, const Occupancy& occupancy,
                     const MultiprocessorWork& work, const Traffic& traffic);

/// Reports whether the launch reads almost only the memory that it writes, and writes almost only
/// the memory that it reads.
bool writes_where_it_reads(const Recording& recording);

/// Reports whether memory moves runs shorter than a line.
bool has_short_runs(const Traffic& traffic);

}  // namespace coalesce::timing
