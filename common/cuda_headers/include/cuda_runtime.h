// CUDA C++ for clang without a toolkit. cuda-clang includes this header at the top of every .cu
// file, as nvcc includes its own cuda_runtime.h.
//
// In plain C++ host code, this header declares only the runtime's functions.
#pragma once

#include "coalesce_cuda/runtime_templates.h"
#include "cuda_runtime_api.h"

#ifdef __CUDA__
#    define __CUDACC__ 1
#    define __CUDACC_VER_MAJOR__ 13
#    define __CUDACC_VER_MINOR__ 0
#    include "coalesce_cuda/atomics.h"
#    include "coalesce_cuda/builtin_variables.h"
#    include "coalesce_cuda/device_memory.h"
#    include "coalesce_cuda/integers.h"
#    include "coalesce_cuda/numbers.h"
#    include "coalesce_cuda/system.h"
#    include "coalesce_cuda/textures.h"
#    include "coalesce_cuda/warps.h"
#endif
