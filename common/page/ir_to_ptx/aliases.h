// May two accesses touch the same bytes? As LLVM's basic alias analysis tells it, as far as merging
// neighbours depends on it.
#pragma once

#include "page/ir_to_ptx/linear.h"

namespace coalesce::translator {

struct Access {
    Linear address;
    Space space = Space::generic;
    i64 bytes = -1;  ///< -1: not known
};

/// Of a load or a store.
Access access_of(const Instruction& load_or_store);
bool may_alias(const Access& a, const Access& b);
/// Whether the instruction may write to what is accessed (or, with `or_read`, read it).
bool may_change(const Instruction& instruction, const Access& access, bool or_read);
/// What comes after it runs whatever happens: no endless loop, no exit, no barrier.
bool always_goes_on(const Instruction& instruction);

}  // namespace coalesce::translator
