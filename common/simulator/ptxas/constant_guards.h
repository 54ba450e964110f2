// Branches and guarded instructions whose predicate is a constant.
//
// Compilers leave none, but inline assembly may: `mov.u32 n, 0; setp.eq.u32 p, n, 0; @p bra L`. ptxas computes such
// predicates itself, takes the branches out, and merges accesses across them.
#pragma once

#include <optional>

#include "simulator/ptx/ast.h"

namespace coalesce::simulator {

/// Returns the function without constant guards, or nothing if it has none: an instruction whose guard is always true
/// loses the guard, and one whose guard is always false becomes a label that nothing branches to. Instructions keep
/// their index.
std::optional<ptx::Function> without_constant_guards(const ptx::Function& function);

}  // namespace coalesce::simulator
