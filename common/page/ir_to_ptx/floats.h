// Helpers for floating-point operations: PTX's names of the types, and the operands for parts of a
// value.
#pragma once

#include <string>

#include "page/ir_to_ptx/elements.h"

namespace coalesce::translator {

/// Returns "f32", "f64", "f16" or "bf16".
std::string float_suffix(const Type& type);
/// Returns the operand for an instruction of the value's own type, such as add.f16 for a half. Even
/// a constant is in a register if it is a 16-bit float.
std::string float_operand(Emitter& e, const Value* value, std::size_t part);

}  // namespace coalesce::translator
