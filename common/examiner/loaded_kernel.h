/// \file
/// A compiled kernel on the device, together with its `configure` function.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "examiner/compile.h"
#include "examiner/failure.h"
#include "examiner/launch_shape.h"

namespace coalesce {

/// Converts a pointer to the 64-bit value that kernels expect. In a web page, host pointers are 32
/// bits wide.
inline std::uint64_t to_address(const void* pointer) {
    return reinterpret_cast<std::uintptr_t>(pointer);
}

/// A kernel that has been loaded and can be launched. The destructor unloads it.
class LoadedKernel {
public:
    /// Loads the PTX onto the device. Callers must check `problem()` before they use the kernel.
    explicit LoadedKernel(const Compiled& compiled);
    ~LoadedKernel();
    LoadedKernel(const LoadedKernel&) = delete;
    LoadedKernel& operator=(const LoadedKernel&) = delete;

    /// Returns the name of the kernel's function.
    const std::string& name() const { return name_; }
    /// Returns the name of the kernel's file, for use in messages.
    const std::string& file_name() const { return file_name_; }
    /// Reports whether the code in the kernel's file calls printf.
    bool can_print() const { return can_print_; }
    /// Reports whether the kernel's file declares an array in dynamic shared memory.
    bool has_dynamic_array() const { return has_dynamic_array_; }
    /// Returns the reason why the kernel cannot be launched, or a failure of kind `none`.
    const Failure& problem() const { return problem_of_load_; }

    /// Evaluates `configure` on the device and checks its result. If the result is invalid, fills
    /// in `failure` and returns nothing.
    std::optional<LaunchShape> configure(Shape shape, Failure& failure);
    /// Launches the kernel, and does not wait for the kernel to finish. Returns cudaSuccess, or the
    /// error from the launch.
    cudaError_t launch(const LaunchShape& launch, float* out, const float* in, Shape shape);
    /// Launches a kernel with any signature, and does not wait for the kernel to finish. Each
    /// argument occupies the first bytes of its 64-bit value.
    cudaError_t launch(const LaunchShape& launch, std::vector<std::uint64_t> arguments);
    /// Loads the PTX again, so that its variables have their initial values.
    cudaError_t reload();

    /// Marks the kernel as hung. Afterwards no memory is freed, because freeing memory would wait
    /// for the kernel to end.
    void abandon() { is_abandoned_ = true; }

private:
    Failure check(const LaunchShape& launch, Shape shape) const;
    /// Returns the call of `configure` as text, such as "configure(1000, 777)".
    std::string configure_call(Shape shape) const;
    cudaError_t load(std::string& log);
    cudaError_t reset_variables();

    cudaLibrary_t library_ = nullptr;
    cudaKernel_t kernel_ = nullptr, configure_ = nullptr;
    void* configure_result_ = nullptr;  ///< device memory that receives the result of `configure`
    int max_threads_ = 0;
    long long max_shared_bytes_ = 0;
    bool is_abandoned_ = false;
    bool has_variables_ = false;     ///< whether the PTX has variables that a kernel may change
    bool may_have_changed_ = false;  ///< whether a launch may have changed a variable of the PTX
    std::string name_, entry_, ptx_;
    bool can_print_ = false, has_dynamic_array_ = false;
    std::string file_name_;
    std::size_t size_count_ = 2;  ///< number of arguments of `configure`
    std::size_t static_shared_bytes_ = 0;
    Failure problem_of_load_;
};

/// Returns the architecture for which PTX is compiled on the current device, such as "compute_90".
std::string native_architecture();

}  // namespace coalesce
