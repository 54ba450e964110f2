// How the files of this folder declare a function that CUDA 12 has with other parameters than CUDA 13.
//
// cudaMemAdvise, say, is CUDA 13's in the headers. COALESCE_NEXT(mem_advise, cudaMemAdvise) makes it callable as
// next::mem_advise; COALESCE_OLDER(older_mem_advise, cudaMemAdvise, parameters) declares what libcudart.so.12 exports
// under that name.
#pragma once

#include <cuda_runtime_api.h>

#include "simulator/addons/cudart12/forward.h"

/// `next::alias`: what libcudart.so.13 exports as `function`.
#define COALESCE_NEXT(alias, function)                                           \
    namespace next {                                                             \
    extern "C" decltype(::function) alias __asm__("coalesce_import_" #function); \
    }                                                                            \
    COALESCE_IMPORT("coalesce_import_" #function, #function, "libcudart.so.13")

/// The declaration of what this library exports as `function`.
#define COALESCE_OLDER(alias, function, ...) \
    extern "C" cudaError_t alias(__VA_ARGS__) __asm__(#function)

/// The name that programs call which were built with --default-stream per-thread: see cudart/per_thread.h.
#define COALESCE_SAME_PER_THREAD(function) \
    __asm__(".globl " #function "_ptsz\n.set " #function "_ptsz, " #function "\n")
