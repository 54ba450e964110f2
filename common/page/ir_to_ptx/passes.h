// What is changed in a function before its PTX is written, in this order.
#pragma once

#include "page/ir_to_ptx/ir.h"

namespace coalesce::translator {

/// library_calls.cpp: what PTX has no instruction for becomes a call of a function of library.cpp.
void call_library(Module& module, Function& function);
/// And of those functions the others are dropped; for the module, when all calls are there.
void drop_unused_library(Module& module);

/// pointer_vectors.cpp: a getelementptr on a vector of pointers becomes one for each of them.
void split_pointer_vectors(Module& module, Function& function);

/// by_value.cpp: what a caller passes by value is read where it lies; where its address is wanted, or
/// something is written to it, it is copied first.
void copy_by_value(Module& module, Function& function);

/// spaces.cpp: pointers of which is known where they point get that space: what is a kernel's
/// argument is global, what comes from a shared variable is shared.
void infer_spaces(Module& module, Function& function);

/// dead.cpp: what nobody uses, and has no effect, is dropped.
void drop_dead(Function& function);

/// contraction.cpp: a product in a sum becomes one fma, as the back end contracts them.
void contract(Module& module, Function& function);

/// vectorise.cpp: neighbouring loads and stores become one of 8 or 16 bytes, as the NVPTX back end
/// merges them: requests, and so sectors per request, depend on it.
void vectorise(Module& module, Function& function);

/// narrow.cpp: of a load of which some bytes are wanted, those are loaded alone.
void narrow_loads(Module& module, Function& function);

/// addresses.cpp: each getelementptr becomes base + bytes, what several share is computed once, and
/// constant bytes come last, where an instruction's [register+offset] takes them.
void split_addresses(Module& module, Function& function);

}  // namespace coalesce::translator
