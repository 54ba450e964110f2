// Parses the initial contents of a variable, such as = {1, 2, {3}, 0xFF(symbol), generic(p)+8}.
#pragma once

#include <vector>

#include "simulator/ptx/constants.h"

namespace coalesce::simulator::ptx {

/// The largest size of a variable, in bytes. No device has this much memory, and the sum of two
/// such sizes does not overflow.
inline constexpr u64 kLargestVariable = u64{1} << 40;

/// Reads the text after '=' and sets Variable::initial_bytes and Variable::relocations.
/// `dimensions` starts with the outermost dimension, which is 0 in a declaration of `x[]`.
/// `bytes_left` is the number of bytes that the module's remaining initialisers may produce, and is
/// reduced by this initialiser's bytes. Returns the offset of the end of the last element. For
/// `x[]`, this offset is the size of the variable.
u64 read_initialiser(Lexer& lexer, Variable& variable, const std::vector<u64>& dimensions,
                     u64 element_size, u64& bytes_left);

}  // namespace coalesce::simulator::ptx
