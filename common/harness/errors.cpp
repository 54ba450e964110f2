#include "harness/errors.h"

namespace coalesce {

std::string advice_for_error(cudaError_t error) {
    switch (error) {
        case cudaErrorMemoryAllocation: return "Choose smaller --rows and --cols.";
        case cudaErrorNoDevice:
        case cudaErrorInsufficientDriver:
            return "Run with --device sim, or install a driver that is new enough for CUDA 13.";
        case cudaErrorInvalidConfiguration:
        case cudaErrorInvalidValue:
            return "Look at the launch: a block has at most 1024 threads, gridDim.y and gridDim.z "
                   "are at most 65535, no size may be 0, and dynamic shared memory beyond 48 KiB "
                   "needs cudaFuncSetAttribute.";
        case cudaErrorLaunchOutOfResources:
            return "Use fewer threads per block, or fewer registers (__launch_bounds__).";
        case cudaErrorNoKernelImageForDevice:
        case cudaErrorInvalidDeviceFunction:
        case cudaErrorUnsupportedPtxVersion:
            return "Build for this GPU: cmake -DCMAKE_CUDA_ARCHITECTURES=native.";
        case cudaErrorIllegalAddress:
        case cudaErrorMisalignedAddress:
        case cudaErrorLaunchFailure:
            return "Run with --device sim: the simulator names the line, the block and the thread.";
        case cudaErrorLaunchTimeout:
            return "The kernel ran too long: look for a loop that does not end.";
        default: return "Look up this error in the documentation of the CUDA runtime.";
    }
}

void check_cuda(cudaError_t error, const char* call, const char* file, int line) {
    if (error == cudaSuccess) return;
    throw CudaError(std::string(file) + ":" + std::to_string(line) + ": " + call + " failed:\n  " +
                    cudaGetErrorName(error) + ": " + cudaGetErrorString(error) + ".\n  " +
                    advice_for_error(error));
}

}  // namespace coalesce
