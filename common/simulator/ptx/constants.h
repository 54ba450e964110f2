// Numbers in PTX, and the constant expressions made of them.
#pragma once

#include "simulator/ptx/lexer.h"

namespace coalesce::simulator::ptx {

struct Constant {
    using Kind = Operand::Kind;
    Kind kind = Kind::immediate;  ///< or f32_bits, or f64_bits
    u64 bits = 0;                 ///< an integer is sign-extended to 64 bits

    /// The bytes that a variable of this type is initialised with, in the low bits.
    u64 as(Type type) const;
};

/// One number, without an operator before or after it.
Constant read_number(Lexer& lexer);

/// A number, or an expression like -(4 * 8) + 1. Operators: + - * / << >> & ^ | ~ on integers,
/// with C's precedence; a minus before a floating-point number.
Constant read_constant(Lexer& lexer);
/// The same where only an integer makes sense.
i64 read_integer(Lexer& lexer);
/// The same where it must lie in [0, most]; `what` is named in the error.
u64 read_count(Lexer& lexer, const char* what, u64 most);

}  // namespace coalesce::simulator::ptx
