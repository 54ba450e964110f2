// How long a recorded launch would take on a GPU.
#pragma once

#include "timing/gpu.h"
#include "timing/prediction.h"
#include "timing/recording.h"

namespace coalesce::timing {

/// By its name, or by the text of a file like those of gpus/. Throws GpuError.
Gpu gpu_of(const std::string& name_or_text);

/// What a multiprocessor holds of a launch at a time.
struct Occupancy {
    int blocks = 1, warps = 1;  ///< blocks of a multiprocessor, warps of a block
    Occupied by = Occupied::threads;
    /// The estimate of registers lies where a few more or less make half as many blocks again.
    bool in_doubt = false;
};
/// By the recording's blocks, threads, registers and shared memory alone.
Occupancy occupancy_of(const Recording& recording, const Gpu& gpu);

Prediction predict(const Recording& recording, const Gpu& gpu);

}  // namespace coalesce::timing
