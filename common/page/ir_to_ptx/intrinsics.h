// The table of LLVM's intrinsics: their names after "llvm.", and the functions that emit their PTX.
//
// Each group has its own table and file. A star at the end of a name stands for the types that LLVM
// appends ("llvm.umin.*" for llvm.umin.i32).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "page/ir_to_ptx/emitter.h"

namespace coalesce::translator {

struct Intrinsic {
    std::string_view name;  ///< the name without "llvm."
    Emit emit;
};

std::span<const Intrinsic> integer_intrinsics();  ///< intrinsics_integer.cpp: smin, ctpop, fshl...
std::span<const Intrinsic> memory_intrinsics();   ///< intrinsics_memory.cpp: memcpy, lifetime...
std::span<const Intrinsic> math_intrinsics();     ///< intrinsics_math.cpp: fma, sqrt, nvvm.ex2...
std::span<const Intrinsic> gpu_intrinsics();  ///< intrinsics_gpu.cpp: nvvm.read.ptx.sreg, shfl...

/// Returns the function that emits this intrinsic, or nullptr if the name is unknown.
Emit intrinsic_named(std::string_view name);

}  // namespace coalesce::translator
