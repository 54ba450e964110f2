// Functions shared by the emitters of floating-point operations. They return PTX's type names and
// the operands for a part of a value.
#pragma once

#include <string>

#include "page/ir_to_ptx/elements.h"

namespace coalesce::translator {

/// Returns "f32", "f64", "f16" or "bf16".
std::string float_suffix(const Type& type);
/// Returns an operand for instructions that operate on the value's own type. Halves are always in
/// registers.
std::string float_operand(Emitter& e, const Value* value, std::size_t part);

}  // namespace coalesce::translator
