// Alias analysis: determines whether two accesses can touch the same bytes. Gives the same answer
// as LLVM's basic alias analysis whenever the answer affects how neighbouring accesses are merged.
#pragma once

#include "page/ir_to_ptx/linear.h"

namespace coalesce::translator {

struct Access {
    Linear address;
    Space space = Space::generic;
    i64 bytes = -1;  ///< the number of accessed bytes; -1 if unknown
};

/// Returns the memory access that a load or a store performs.
Access access_of(const Instruction& load_or_store);
bool may_alias(const Access& a, const Access& b);
/// Reports whether the instruction may write the accessed bytes or, if `or_read` is set, read them.
bool may_change(const Instruction& instruction, const Access& access, bool or_read);
/// Reports whether execution always continues after the instruction. As in LLVM, the result is
/// false for a volatile store, which may trap, and for a call that may not return.
bool always_continues(const Instruction& instruction);

}  // namespace coalesce::translator
