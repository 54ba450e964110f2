// Declares the functions that check a launch, and then execute or capture it.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <vector>

#include "simulator/base/types.h"
#include "simulator/cudart/modules.h"

namespace coalesce::simulator::cudart {

/// The parameters of a launch, before they are checked.
struct LaunchRequest {
    dim3 grid, block;
    size_t dynamic_shared_bytes = 0;
    cudaStream_t stream = nullptr;
    bool is_cooperative = false;
    Dim3 cluster{0, 0, 0};  ///< the shape of a cluster, or zeros if the launch does not specify one
};

/// A copy of a kernel's arguments.
struct KernelArguments {
    std::vector<u8> bytes;
    std::vector<void*> argument_pointers;  ///< the address of each argument in `bytes`
    void** argument_list() const { return const_cast<void**>(argument_pointers.data()); }
};

std::shared_ptr<const KernelArguments> copy_arguments(const KernelHandle& handle, void** arguments);

/// Returns the arguments of a launch that passes all of them in one buffer. `launch_options`
/// describes the buffer in the format of cuLaunchKernel's parameter `extra`.
std::shared_ptr<const KernelArguments> unpack_argument_buffer(const KernelHandle& handle,
                                                              void** launch_options);

/// Returns the kernel to launch, lowered and ready to run. If the kernel's code cannot be run, the
/// current API call and all later ones fail.
KernelHandle& find_runnable_kernel(const void* function);

/// Fails with an explanation if the device cannot run this launch.
void check_launch(const KernelHandle& handle, const LaunchRequest& request, void** arguments);

/// Applies a launch attribute to the request. Attributes that affect only speed, or have no effect
/// in the simulator, are accepted. Unknown attributes are rejected.
void apply_attribute(const cudaLaunchAttribute& attribute, LaunchRequest& request);

/// Checks a launch and runs it, or captures the launch if its stream is being captured.
void launch(const void* function, const LaunchRequest& request, void** arguments,
            const std::vector<cudaLaunchAttribute>& attributes = {});

/// Checks a launch and runs it immediately, even if its stream is being captured.
void launch_immediately(const void* function, const LaunchRequest& request, void** arguments);

}  // namespace coalesce::simulator::cudart
