// Removes branches and guards whose predicates are constant.
//
// Compilers remove such branches and guards themselves, except in inline assembly, such as `mov.u32
// n, 0; setp.eq.u32 p, n, 0; @p bra L`. ptxas evaluates these predicates, removes the branches, and
// merges accesses across them.
#pragma once

#include <optional>

#include "simulator/ptx/ast.h"

namespace coalesce::simulator {

/// Returns the function without constant guards, or nothing if it has none. An instruction that
/// always runs loses its guard. An instruction that never runs becomes an unused label, so that the
/// indices of the other instructions do not change.
std::optional<ptx::Function> remove_constant_guards(const ptx::Function& function);

}  // namespace coalesce::simulator
