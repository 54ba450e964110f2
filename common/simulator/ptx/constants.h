// Parses numbers in PTX, and constant expressions that consist of numbers and operators.
#pragma once

#include "simulator/ptx/lexer.h"

namespace coalesce::simulator::ptx {

struct Constant {
    using Kind = Operand::Kind;
    Kind kind = Kind::immediate;  ///< the type of the number: immediate, f32_bits or f64_bits
    u64 bits = 0;                 ///< the bits of the number; an integer is sign-extended

    /// Converts the number to `type`, and returns its bytes in the low bits of the result.
    u64 convert_to(Type type) const;
};

/// Reads a single number without any operator.
Constant read_number(Lexer& lexer);

/// Reads a number, or an expression like -(4 * 8) + 1. The operators + - * / << >> & ^ | ~ have the
/// same precedence as in C, and accept only integers. Only a minus sign may also precede a
/// floating-point number.
Constant read_constant(Lexer& lexer);
/// Reads a constant expression like read_constant(), but accepts only an integer.
i64 read_integer(Lexer& lexer);
/// Reads an integer from 0 to `max_value`. For any other number, throws a ParseError whose message
/// names `value_name`.
u64 read_count(Lexer& lexer, const char* value_name, u64 max_value);

}  // namespace coalesce::simulator::ptx
