// What the emitters of floating point share: PTX's names of the types, and part by part.
#pragma once

#include <string>

#include "page/ir_to_ptx/elements.h"

namespace coalesce::translator {

/// "f32", "f64", "f16", "bf16".
std::string float_suffix(const Type& type);
/// An operand as instructions of its type take it: halves are always registers.
std::string float_operand(Emitter& e, const Value* value, std::size_t part);

}  // namespace coalesce::translator
