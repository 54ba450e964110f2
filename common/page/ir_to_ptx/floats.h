// Helpers for floating-point operations: PTX's names of the types, and the operands for parts of a
// value.
#pragma once

#include <string>

#include "page/ir_to_ptx/elements.h"

namespace coalesce::translator {

/// Returns PTX's name of a floating-point type: "f32", "f64", "f16" or "bf16".
std::string float_suffix(const Type& type);
/// Returns the operand for an instruction of the value's own type, such as add.f16 for a half. If
/// the type is a 16-bit float, the operand is a register even for a constant.
std::string float_operand(Emitter& e, const Value* value, std::size_t part);

}  // namespace coalesce::translator
