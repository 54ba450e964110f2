// The files of gpus/, as CMake compiled them in (embed_gpus.cmake).
#pragma once

#include <string_view>
#include <vector>

namespace coalesce::timing {

struct GpuFile {
    std::string_view name;  ///< "common/timing/gpus/NVIDIA-H200.toml"
    std::string_view text;
};

/// The H200's first.
const std::vector<GpuFile>& gpu_files();

}  // namespace coalesce::timing
