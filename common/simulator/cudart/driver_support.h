// Declares functions of the runtime library that are not part of CUDA. The replacements for the
// driver's library (addons/driver/) and for cuBLAS (addons/cublas/) call them, so that all
// libraries use the same simulated GPU.
#pragma once

#include <cuda_runtime_api.h>
#include <stdint.h>

#include <functional>

extern "C" {

/// Runs `body` for the driver function `name`, in the same way as run_call() in api.h runs the body
/// of a runtime function, but leaves the runtime's last error unchanged. `error_name` returns the
/// name of an error for explanations and reports.
cudaError_t coalesceDriverCall(const char* name, const char* (*error_name)(cudaError_t),
                               const std::function<void()>& body);

/// Explains the current call in one sentence, like `explain` in api.h.
void coalesceDriverExplain(const char* sentence);

/// Reports that `function` is not simulated, and says what to use instead. Returns
/// cudaErrorNotSupported.
cudaError_t coalesceDriverMissing(const char* function, const char* alternative);

/// Records that a replacement library executed `function` on the host. The final report mentions
/// these functions.
void coalesceNoteHostWork(const char* function);

/// Reports whether the program has already called a function of the runtime that needs the device.
/// The first such call makes the primary context current.
bool coalesceRuntimeIsUsed();

/// Implements cuTensorMapEncodeTiled. The number of the returned error is also the number of the
/// driver's error.
cudaError_t coalesceEncodeTensorMap(void* map, unsigned type, unsigned rank, void* address,
                                    const uint64_t* size, const uint64_t* strides,
                                    const unsigned* box, const unsigned* element_strides,
                                    unsigned interleave, unsigned swizzle, unsigned promotion,
                                    unsigned fill);

/// Sets all elements in `height` rows of `width` elements each to `value`. `element_bytes` is the
/// size of an element in bytes (1, 2 or 4). The work is queued in `*stream`, or executed
/// immediately if `stream` is null.
cudaError_t coalesceFill(void* to, size_t pitch, unsigned value, unsigned element_bytes,
                         size_t width, size_t height, const cudaStream_t* stream);

/// Stores the start and the size of the allocation that contains `pointer`. Returns false if there
/// is no such allocation. `begin` and `bytes` may be null.
bool coalesceFindAllocation(const void* pointer, void** begin, size_t* bytes);

/// Unpacks the kernel arguments that `launch_options` passes in one buffer, and calls `launch` with
/// an array of their addresses.
void coalesceWithArguments(const void* function, void** launch_options,
                           const std::function<void(void** arguments)>& launch);

}  // extern "C"
