// Reads numbers in PTX, and the constant expressions built from them.
#pragma once

#include "simulator/ptx/lexer.h"

namespace coalesce::simulator::ptx {

struct Constant {
    using Kind = Operand::Kind;
    Kind kind = Kind::immediate;  ///< or f32_bits or f64_bits
    u64 bits = 0;                 ///< an integer is sign-extended to 64 bits

    /// Returns, in the low bits, the bytes with which this number initialises a variable of `type`.
    u64 as(Type type) const;
};

/// Reads a single number without any operator.
Constant read_number(Lexer& lexer);

/// Reads a number, or an expression like -(4 * 8) + 1. The operators + - * / << >> & ^ | ~ work on
/// integers, with C's precedence. A minus sign may precede a floating-point number.
Constant read_constant(Lexer& lexer);
/// Reads a constant expression like read_constant(), but accepts only an integer.
i64 read_integer(Lexer& lexer);
/// Reads an integer in [0, most]. The error message names `what`.
u64 read_count(Lexer& lexer, const char* what, u64 most);

}  // namespace coalesce::simulator::ptx
