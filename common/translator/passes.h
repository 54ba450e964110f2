// What is changed in a function before its PTX is written, in this order.
#pragma once

#include "translator/ir.h"

namespace coalesce::translator {

/// by_value.cpp: what a caller passes by value is read where it lies; where its address is wanted, or
/// something is written to it, it is copied first.
void copy_by_value(Module& module, Function& function);

/// spaces.cpp: pointers of which is known where they point get that space: what is a kernel's
/// argument is global, what comes from a shared variable is shared.
void infer_spaces(Module& module, Function& function);

/// contraction.cpp: a product in a sum becomes one fma, as the back end contracts them.
void contract(Module& module, Function& function);

/// vectorise.cpp: neighbouring loads and stores become one of 8 or 16 bytes, as the NVPTX back end
/// merges them: requests, and so sectors a request, depend on it.
void vectorise(Module& module, Function& function);

/// addresses.cpp: each getelementptr becomes base + bytes, what several share is computed once, and
/// constant bytes come last, where an instruction's [register+offset] takes them.
void split_addresses(Module& module, Function& function);

}  // namespace coalesce::translator
