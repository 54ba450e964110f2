// A launch as a program asks for it, and what becomes of it: checked, then run or captured.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <vector>

#include "simulator/base/types.h"
#include "simulator/cudart/modules.h"

namespace coalesce::simulator::cudart {

/// A launch as it is asked for, before anything is checked.
struct LaunchRequest {
    dim3 grid, block;
    size_t shared = 0;
    cudaStream_t stream = nullptr;
    bool cooperative = false;
    Dim3 cluster{0, 0, 0};  ///< zeros: not given
};

/// Copies of a kernel's arguments.
struct KernelArguments {
    std::vector<u8> bytes;
    std::vector<void*> pointers;  ///< into `bytes`, one an argument
    void** list() const { return const_cast<void**>(pointers.data()); }
};

std::shared_ptr<const KernelArguments> copy_arguments(const KernelHandle& handle, void** arguments);

/// The arguments of a launch that come in one buffer: `extra` is a list of names and values, as
/// cuLaunchKernel takes it.
std::shared_ptr<const KernelArguments> unpack_extra(const KernelHandle& handle, void** extra);

/// The kernel to launch, ready to run. That its code cannot be run breaks the context.
KernelHandle& find_to_run(const void* function);

/// Fails unless the launch is one that the device can run. Each refusal explains itself.
void check_launch(const KernelHandle& handle, const LaunchRequest& request, void** arguments);

/// What the attribute changes in the request. Attributes that change speed alone, or nothing here, are
/// accepted; unknown ones are not.
void apply_attribute(const cudaLaunchAttribute& attribute, LaunchRequest& request);

/// Checks a launch and runs it, or captures it when its stream is being captured.
void launch(const void* function, const LaunchRequest& request, void** arguments,
            const std::vector<cudaLaunchAttribute>& attributes = {});

/// Checks a launch and runs it now, whatever stream it names.
void launch_now(const void* function, const LaunchRequest& request, void** arguments);

}  // namespace coalesce::simulator::cudart
