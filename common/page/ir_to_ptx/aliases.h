// Alias analysis: determines whether two accesses can touch the same bytes. If the answer affects
// which accesses are merged, it is the same as that of LLVM's basic alias analysis.
#pragma once

#include "page/ir_to_ptx/linear.h"

namespace coalesce::translator {

struct Access {
    Linear address;
    Space space = Space::generic;
    i64 bytes = -1;  ///< the number of accessed bytes; -1 if unknown
};

/// Returns the memory access that a load or a store performs.
Access find_access(const Instruction& load_or_store);
bool may_alias(const Access& a, const Access& b);
/// Reports whether the instruction may write the accessed bytes. If `includes_reads` is set,
/// reports whether the instruction may write or read these bytes.
bool may_change(const Instruction& instruction, const Access& access, bool includes_reads);
/// Reports whether execution always continues after the instruction. As in LLVM, a volatile store
/// may trap, and some calls may not return.
bool always_continues(const Instruction& instruction);

}  // namespace coalesce::translator
