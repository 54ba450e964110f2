// The files in gpus/, which CMake compiles into the program (embed_gpus.cmake).
#pragma once

#include <string_view>
#include <vector>

namespace coalesce::timing {

struct GpuFile {
    std::string_view name;  ///< such as "common/timing/gpus/NVIDIA-H200.toml"
    std::string_view text;
};

/// Returns all files in gpus/. The first one is the file of the H200.
const std::vector<GpuFile>& gpu_files();

}  // namespace coalesce::timing
