// What the stand-ins for the driver's library (driver/) and for cuBLAS (cublas/) need of the runtime's beside CUDA's own functions.
// The two are one simulated GPU: the driver's functions end in the runtime's, and what is here is what these
// cannot express. The names are C's, because they are exported.
#pragma once

#include <cuda_runtime_api.h>
#include <stdint.h>

#include <functional>

extern "C" {

/// Surrounds a function of the driver, as api.h surrounds one of the runtime: sentences and reports name
/// it, errors have the names that `error_name` gives, and the runtime's last error stays what it was.
cudaError_t coalesceDriverCall(const char* name, const char* (*error_name)(cudaError_t),
                               const std::function<void()>& body);

/// One sentence about the call that is going on.
void coalesceDriverExplain(const char* sentence);

/// `function` is not simulated, and what to do instead. Returns cudaErrorNotSupported.
cudaError_t coalesceDriverMissing(const char* function, const char* instead);

/// A stand-in for a library did the work of `function` on the host: for the report.
void coalesceNoteHostWork(const char* function);

/// Whether the program has called a function of the runtime that needs the device: such a call makes the
/// primary context current.
bool coalesceRuntimeIsUsed();

/// cuTensorMapEncodeTiled. Its errors have the same numbers.
cudaError_t coalesceEncodeTensorMap(void* map, unsigned type, unsigned rank, void* address,
                                    const uint64_t* size, const uint64_t* strides,
                                    const unsigned* box, const unsigned* element_strides,
                                    unsigned interleave, unsigned swizzle, unsigned promotion,
                                    unsigned fill);

/// Sets rows of `width` elements of 1, 2 or 4 bytes to `value`: in a stream, or at once where `stream` is null.
cudaError_t coalesceFill(void* to, size_t pitch, unsigned value, unsigned element, size_t width,
                         size_t height, const cudaStream_t* stream);

/// The allocation that `pointer` lies in. False: there is none.
bool coalesceFindAllocation(const void* pointer, void** begin, size_t* bytes);

/// Calls `launch(arguments)` with the list of addresses that the buffer in `extra` stands for.
void coalesceWithArguments(const void* function, void** extra,
                           const std::function<void(void** arguments)>& launch);

}  // extern "C"
