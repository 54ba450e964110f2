// Reads the contents that a declaration gives its variable: = {1, 2, {3}, 0xFF(symbol),
// generic(p)+8}
#pragma once

#include <vector>

#include "simulator/ptx/constants.h"

namespace coalesce::simulator::ptx {

/// No device has this much memory. Sizes below this can be added without overflow.
inline constexpr u64 kLargestVariable = u64{1} << 40;

/// Reads what follows '=', and fills in Variable::initial and Variable::relocations. `dimensions`
/// begins with the outermost one; if that is 0, it stands for [] and is as large as the contents.
/// `bytes_left` is how much all initialisers of the module together may still produce. Returns
/// where the last element ended, which is the size of a variable declared with [].
u64 read_initialiser(Lexer& lexer, Variable& variable, const std::vector<u64>& dimensions,
                     u64 element_size, u64& bytes_left);

}  // namespace coalesce::simulator::ptx
