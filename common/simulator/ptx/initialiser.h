// The contents that a declaration gives its variable: = {1, 2, {3}, 0xFF(symbol), generic(p)+8}
#pragma once

#include <vector>

#include "simulator/ptx/constants.h"

namespace coalesce::simulator::ptx {

/// No device has this much memory. Sizes below it can be added up without overflow.
inline constexpr u64 kLargestVariable = u64{1} << 40;

/// Reads what follows '='. Fills in Variable::initial and Variable::relocations. `dimensions` from the outermost; an
/// outermost 0 stands for [] and takes what comes. `bytes_left` is what all initialisers of the module may still make
/// together. Returns where the last element ended: the size of a variable declared with [].
u64 read_initialiser(Lexer& lexer, Variable& variable, const std::vector<u64>& dimensions,
                     u64 element_size, u64& bytes_left);

}  // namespace coalesce::simulator::ptx
