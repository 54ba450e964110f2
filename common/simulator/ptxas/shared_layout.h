// Computes the offsets of a kernel's variables in shared memory, as ptxas chooses them.
//
// Order  The kernel's own variables come first, then those of the functions that it calls, then the
//        module's, in the order of their declarations, each at the next multiple of its alignment.
//        Arrays of unknown size all start after them, at a multiple of 16 bytes.
// Seen   These rules were found by storing to variables of different sizes and alignments, which
//        are declared and used in different orders, and reading the addresses from the machine code.
#pragma once

#include <map>
#include <string>

#include "simulator/ptx/ast.h"

namespace coalesce::simulator {

struct SharedLayout {
    std::map<std::string, u32> offsets;  ///< by variable
    u32 bytes = 0;                       ///< the total size of all variables of known size
};

/// Returns the offsets. Throws a LoweringError if the variables do not fit.
SharedLayout shared_layout(const ptx::Module& module, const ptx::Function& kernel);

/// Advances `top` past the next variable and returns the variable's offset. Throws a LoweringError
/// if the new `top` exceeds `limit`.
u32 place_after(u32& top, const ptx::Variable& variable, u32 limit);

}  // namespace coalesce::simulator
