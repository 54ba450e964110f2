// Computes the offsets that ptxas assigns to a kernel's variables in shared memory.
//
// Order  The kernel's own variables come first, then the variables of the functions that it calls,
//        and then the variables of the module. Within each group, variables are placed in the order
//        of their declarations, each at the next multiple of its alignment. Arrays of unknown size
//        (`extern .shared x[]`) all start at the same offset, a multiple of 16 bytes, after these
//        variables.
// Seen   These rules were found by experiment. We compiled stores to variables of different sizes
//        and alignments, declared and used in different orders, and read the addresses from the
//        machine code.
#pragma once

#include <map>
#include <string>

#include "simulator/ptx/ast.h"

namespace coalesce::simulator {

struct SharedLayout {
    std::map<std::string, u32> offsets;  ///< the offset of each variable, in bytes
    u32 bytes = 0;  ///< the total size of all variables of known size, in bytes
};

/// Returns the layout of the kernel's shared memory. Throws a LoweringError if the variables do not
/// fit.
SharedLayout make_shared_layout(const ptx::Module& module, const ptx::Function& kernel);

/// Places `variable` at the first multiple of its alignment at or after `layout_end`, moves
/// `layout_end` to the end of the variable, and returns the variable's offset. Throws a
/// LoweringError if the new `layout_end` exceeds `limit`.
u32 place_variable_after(u32& layout_end, const ptx::Variable& variable, u32 limit);

}  // namespace coalesce::simulator
