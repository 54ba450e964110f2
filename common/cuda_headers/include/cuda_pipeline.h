// The primitives for asynchronous copies from global to shared memory.
#pragma once

#include "cuda_runtime.h"

#ifdef __CUDA__
/// Starts an asynchronous copy of 4, 8 or 16 bytes to shared memory. The last `zeros` bytes are not
/// copied but set to 0.
__device__ COALESCE_INLINED void __pipeline_memcpy_async(void* to, const void* from, size_t bytes,
                                                         size_t zeros = 0) {
    const unsigned int shared = static_cast<unsigned int>(__cvta_generic_to_shared(to));
    const unsigned int read = static_cast<unsigned int>(bytes - zeros);
    if (bytes == 4) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;"
                     :
                     : "r"(shared), "l"(from), "r"(read)
                     : "memory");
    } else if (bytes == 8) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;"
                     :
                     : "r"(shared), "l"(from), "r"(read)
                     : "memory");
    } else {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                     :
                     : "r"(shared), "l"(from), "r"(read)
                     : "memory");
    }
}
__device__ COALESCE_INLINED void __pipeline_commit() {
    asm volatile("cp.async.commit_group;" : : : "memory");
}
/// Waits until at most the `pending` most recent groups are still in flight. `pending` must be a
/// constant.
#    define __pipeline_wait_prior(pending) \
        asm volatile("cp.async.wait_group %0;" : : "n"(pending) : "memory")
#endif
