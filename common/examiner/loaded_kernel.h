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

/// A kernel that can be launched. Frees itself.
class LoadedKernel {
public:
    /// Hands the PTX to the device. Check `problem()` before anything else.
    explicit LoadedKernel(const Compiled& compiled);
    ~LoadedKernel();
    LoadedKernel(const LoadedKernel&) = delete;
    LoadedKernel& operator=(const LoadedKernel&) = delete;

    /// The function's name.
    const std::string& name() const { return name_; }
    /// The file's, as messages name it.
    const std::string& file_name() const { return file_name_; }
    /// Whether something in its file calls printf.
    bool prints() const { return prints_; }
    /// Why it cannot be launched; kind none when it can.
    const Failure& problem() const { return problem_; }

    /// Evaluates `configure` on the device, and checks what it answers. On a failure `failure` is
    /// filled and nothing is returned.
    std::optional<LaunchShape> configure(Shape shape, Failure& failure);
    /// Launches, asynchronously. cudaSuccess, or why it could not be launched.
    cudaError_t launch(const LaunchShape& launch, float* out, const float* in, Shape shape);

    /// A launch of it never ends: whatever waits for the device would wait for ever, so nothing is
    /// freed any more.
    void abandon() { is_abandoned_ = true; }

private:
    Failure check(const LaunchShape& launch, Shape shape) const;

    cudaLibrary_t library_ = nullptr;
    cudaKernel_t kernel_ = nullptr, configure_ = nullptr;
    void* answer_ = nullptr;  ///< device memory for what configure gives
    int most_threads_ = 0;
    long long most_shared_ = 0;
    bool is_abandoned_ = false;
    std::string name_;
    bool prints_ = false;
    std::string file_name_;
    std::size_t static_shared_ = 0;
    Failure problem_;
};

/// "compute_90": what PTX for the device in use is compiled for.
std::string native_architecture();

}  // namespace coalesce
