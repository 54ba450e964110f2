// Recognizes the version of the CUDA runtime that a program contains, by the names of the functions
// that the program defines.
#pragma once

#include <string_view>

namespace coalesce::simulator {

/// The version of the CUDA runtime that a program contains. It can be recognized only if the
/// program's symbols are not stripped.
enum class StaticRuntime {
    none,
    cuda11,  ///< CUDA 11 or older
    cuda12,
    cuda13,
};

class StaticRuntimeFinder {
public:
    /// Records a function of the program. Must be called with the name of each function that the
    /// program defines.
    void add_function(std::string_view name) {
        has_runtime_ |= name == "__cudaRegisterFatBinary";
        has_thread_synchronize_ |= name == "cudaThreadSynchronize";
        has_cuda12_properties_ |= name == "cudaGetDeviceProperties_v2";
    }
    StaticRuntime version() const {
        if (!has_runtime_) return StaticRuntime::none;
        // CUDA 12 defines cudaGetDeviceProperties_v2 and cudaThreadSynchronize. CUDA 11 defines
        // only cudaThreadSynchronize. CUDA 13 defines neither.
        if (has_cuda12_properties_) return StaticRuntime::cuda12;
        return has_thread_synchronize_ ? StaticRuntime::cuda11 : StaticRuntime::cuda13;
    }

private:
    bool has_runtime_ = false, has_thread_synchronize_ = false, has_cuda12_properties_ = false;
};

}  // namespace coalesce::simulator
