// The keywords of CUDA C++. For clang they expand to attributes, and for a plain C++ compiler they
// expand to nothing.
#pragma once

#ifdef __CUDA__
#    define __host__ __attribute__((host))
#    define __device__ __attribute__((device))
#    define __global__ __attribute__((global))
#    define __shared__ __attribute__((shared))
#    define __constant__ __attribute__((constant))
#    define __managed__ __attribute__((managed))
#    define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
// clang has no attribute that limits the number of registers. Ignoring the limit does not change a
// kernel's results.
#    define __maxnreg__(...)
#    define __grid_constant__
// clang accepts __cluster_dims__, but drops it when it generates PTX, so the kernel would run
// without clusters. Programs with such a kernel are therefore rejected.
#    define __cluster_dims__(...)                                      \
        __attribute__((                                                \
            unavailable("clang ignores __cluster_dims__: launch with " \
                        "cudaLaunchKernelEx and cudaLaunchAttributeClusterDimension")))
#    define __noinline__ __attribute__((noinline))
#    define __forceinline__ __inline__ __attribute__((always_inline))
// Marks a function whose instructions are attributed to the caller's line, as nvcc does for its own
// headers.
#    define COALESCE_INLINED __inline__ __attribute__((always_inline, nodebug))
#else
#    define __host__
#    define __device__
#    define __forceinline__ inline __attribute__((always_inline))
#    define COALESCE_INLINED inline
#endif
#define __align__(bytes) __attribute__((aligned(bytes)))
