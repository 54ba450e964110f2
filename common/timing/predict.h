// Predicts how long a recorded launch would take on a GPU.
#pragma once

#include "timing/gpu.h"
#include "timing/prediction.h"
#include "timing/recording.h"

namespace coalesce::timing {

/// Returns the known GPU with this name. If the string contains "=", parses the string as the text
/// of a file in gpus/ instead. Throws GpuError.
Gpu parse_or_find_gpu(const std::string& name_or_text);

/// The resident blocks of a launch on a multiprocessor.
struct Occupancy {
    int blocks = 1, warps = 1;  ///< blocks per multiprocessor, and warps per block
    OccupancyLimit limiting_resource = OccupancyLimit::threads;
    /// Whether the number of blocks is uncertain, because the estimated number of registers is
    /// close to a limit.
    bool is_uncertain = false;
};
/// Computes the occupancy from the recording's blocks, threads, registers and shared memory.
Occupancy compute_occupancy(const Recording& recording, const Gpu& gpu);

Prediction predict(const Recording& recording, const Gpu& gpu);

/// Like predict, but leaves out Prediction::ms_without_conflicts, which takes as long to compute as
/// everything else together.
Prediction predict_as_recorded(const Recording& recording, const Gpu& gpu);

}  // namespace coalesce::timing
