// Macros that declare functions whose parameters differ between CUDA 12 and CUDA 13.
//
// For example, CUDA's headers declare cudaMemAdvise as in CUDA 13. COALESCE_NEXT(mem_advise,
// cudaMemAdvise) makes it callable as next::mem_advise. COALESCE_OLDER(older_mem_advise,
// cudaMemAdvise, parameters) declares older_mem_advise, which libcudart.so.12 exports as
// cudaMemAdvise.
#pragma once

#include <cuda_runtime_api.h>

#include "simulator/addons/cudart12/forward.h"

/// Declares `next::alias`, the function that libcudart.so.13 exports as `function`.
#define COALESCE_NEXT(alias, function)                                           \
    namespace next {                                                             \
    extern "C" decltype(::function) alias __asm__("coalesce_import_" #function); \
    }                                                                            \
    COALESCE_IMPORT("coalesce_import_" #function, #function, "libcudart.so.13")

/// Declares `alias`, the function that our libcudart.so.12 exports as `function`.
#define COALESCE_OLDER(alias, function, ...) \
    extern "C" cudaError_t alias(__VA_ARGS__) __asm__(#function)

/// Also exports `function` with the suffix _ptsz. Programs that are built with --default-stream
/// per-thread use these names (cudart/per_thread.h).
#define COALESCE_SAME_PER_THREAD(function) \
    __asm__(".globl " #function "_ptsz\n.set " #function "_ptsz, " #function "\n")
