// How long a recorded launch would take on a GPU.
#pragma once

#include "timing/gpu.h"
#include "timing/prediction.h"
#include "timing/recording.h"

namespace coalesce::timing {

/// By its name, or by the text of a file like those of gpus/. Throws GpuError.
Gpu gpu_of(const std::string& name_or_text);

Prediction predict(const Recording& recording, const Gpu& gpu);

}  // namespace coalesce::timing
