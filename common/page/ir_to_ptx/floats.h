// Helpers for floating-point operations: the names of types in PTX, and the operands for parts of a
// value.
#pragma once

#include <string>

#include "page/ir_to_ptx/elements.h"

namespace coalesce::translator {

/// Returns PTX's name of a floating-point type: "f32", "f64", "f16" or "bf16".
std::string float_suffix(const Type& type);
/// Returns the operand for an instruction that works on the value's own type, such as add.f16 for a
/// half. A constant is returned as a number, unless its type is a 16-bit float. Then it is returned
/// in a register.
std::string float_operand(Emitter& e, const Value* value, std::size_t part);

}  // namespace coalesce::translator
