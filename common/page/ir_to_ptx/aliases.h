// Alias analysis: may two accesses touch the same bytes? It gives the same answers as LLVM's basic
// alias analysis, as far as the merging of neighbouring accesses depends on them.
#pragma once

#include "page/ir_to_ptx/linear.h"

namespace coalesce::translator {

struct Access {
    Linear address;
    Space space = Space::generic;
    i64 bytes = -1;  ///< -1: unknown
};

/// Returns the access of a load or a store.
Access access_of(const Instruction& load_or_store);
bool may_alias(const Access& a, const Access& b);
/// Reports whether the instruction may write to the accessed bytes (or, with `or_read`, read them).
bool may_change(const Instruction& instruction, const Access& access, bool or_read);
/// Reports whether execution always continues after the instruction. Endless loops, exits and
/// barriers would prevent this.
bool always_goes_on(const Instruction& instruction);

}  // namespace coalesce::translator
