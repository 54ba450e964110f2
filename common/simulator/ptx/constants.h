// Reads numbers in PTX, and the constant expressions made of them.
#pragma once

#include "simulator/ptx/lexer.h"

namespace coalesce::simulator::ptx {

struct Constant {
    using Kind = Operand::Kind;
    Kind kind = Kind::immediate;  ///< f32_bits and f64_bits are possible as well
    u64 bits = 0;                 ///< an integer is sign-extended to 64 bits

    /// Returns the bytes that a variable of this type is initialised with, in the low bits.
    u64 as(Type type) const;
};

/// Reads one number, without an operator before or after it.
Constant read_number(Lexer& lexer);

/// Reads a number, or an expression like -(4 * 8) + 1. The operators + - * / << >> & ^ | ~ work on
/// integers, with C's precedence. A floating-point number may have a minus sign before it.
Constant read_constant(Lexer& lexer);
/// Like read_constant(), but only an integer is accepted.
i64 read_integer(Lexer& lexer);
/// Like read_integer(), but the number must lie in [0, most]. The error message names `what`.
u64 read_count(Lexer& lexer, const char* what, u64 most);

}  // namespace coalesce::simulator::ptx
