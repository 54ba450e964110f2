/// \file
/// A compiled kernel on the device, with its `configure`.
#pragma once

#include <cuda_runtime_api.h>

#include <optional>
#include <string>

#include "examiner/compile.h"
#include "examiner/failure.h"
#include "examiner/launch_shape.h"

namespace coalesce {

/// A kernel that has been loaded and can be launched. Unloads itself.
class LoadedKernel {
public:
    /// Loads the PTX into the device. Callers must check `problem()` first.
    explicit LoadedKernel(const Compiled& compiled);
    ~LoadedKernel();
    LoadedKernel(const LoadedKernel&) = delete;
    LoadedKernel& operator=(const LoadedKernel&) = delete;

    /// Returns the name of the kernel's function.
    const std::string& name() const { return name_; }
    /// Returns the file's name in messages.
    const std::string& file_name() const { return file_name_; }
    /// Reports whether the file calls printf.
    bool prints() const { return prints_; }
    /// Returns why the kernel cannot be launched, or a failure of kind none.
    const Failure& problem() const { return problem_; }

    /// Evaluates `configure` on the device and checks its result. If it is invalid, fills in `failure` and returns
    /// nothing.
    std::optional<LaunchShape> configure(Shape shape, Failure& failure);
    /// Launches the kernel without waiting for it. Returns cudaSuccess, or why the launch failed.
    cudaError_t launch(const LaunchShape& launch, float* out, const float* in, Shape shape);

    /// Marks the kernel as hung. Freeing memory would wait for it forever, so nothing is freed any more.
    void abandon() { is_abandoned_ = true; }

private:
    Failure check(const LaunchShape& launch, Shape shape) const;

    cudaLibrary_t library_ = nullptr;
    cudaKernel_t kernel_ = nullptr, configure_ = nullptr;
    void* answer_ = nullptr;  ///< device memory for the result of configure
    int most_threads_ = 0;
    long long most_shared_ = 0;
    bool is_abandoned_ = false;
    std::string name_;
    bool prints_ = false;
    std::string file_name_;
    std::size_t static_shared_ = 0;
    Failure problem_;
};

/// Returns the architecture to compile PTX for on the current device, such as "compute_90".
std::string native_architecture();

}  // namespace coalesce
