// The passes that run on a function before its PTX is written, in this order.
#pragma once

#include "page/ir_to_ptx/ir.h"

namespace coalesce::translator {

/// library_calls.cpp: replaces operations that have no PTX instruction with calls to library
/// functions.
void replace_by_library_calls(Module& module, Function& function);
/// Removes library functions that are not called. Run this once per module, after all calls have
/// been inserted.
void drop_unused_library(Module& module);

/// pointer_vectors.cpp: splits a getelementptr on a vector of pointers into one for each pointer.
void split_pointer_vectors(Module& module, Function& function);

/// by_value.cpp: reads by-value arguments directly from the .param space. If an argument is written
/// to or its address is needed, the argument is first copied.
void read_by_value_arguments_in_place(Module& module, Function& function);

/// spaces.cpp: infers the address spaces of pointers. Kernel arguments point to global memory, and
/// pointers derived from a shared variable point to shared memory.
void infer_address_spaces(Module& module, Function& function);

/// dead.cpp: removes unused instructions without side effects.
void drop_dead_instructions(Function& function);

/// contraction.cpp: contracts products and sums into fma, as LLVM's NVPTX back end does.
void contract_multiply_adds(Module& module, Function& function);

/// vectorise.cpp: merges neighbouring loads and stores into accesses of 8 or 16 bytes, as LLVM's
/// NVPTX back end does. The merging matters, because the width of an access determines how many
/// sectors each request has.
void vectorise_accesses(Module& module, Function& function);

/// narrow.cpp: narrows loads if only some of their bytes are used.
void narrow_loads_to_used_bytes(Module& module, Function& function);

/// addresses.cpp: splits each getelementptr into base + bytes, and computes each shared term only
/// once. Constant bytes come last, so that they fit into an instruction's [register+offset].
void split_addresses(Module& module, Function& function);

}  // namespace coalesce::translator
