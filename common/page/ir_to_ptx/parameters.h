// How values get into functions and out of them: the .param space.
#pragma once

#include <string>

#include "page/ir_to_ptx/emitter.h"

namespace coalesce::translator {

/// ".visible .entry name( ... )" with the limits of a launch, or ".func (...) name(...)".
std::string function_header(const Function& function);
/// A function that is called before it is defined, or not defined here.
std::string prototype(const Function& function);

/// ".param .b32 name" for a value that a function takes or gives.
std::string parameter_declaration(const Type& type, const Type* by_value, u32 align,
                                  const std::string& name);
/// st.param of all its parts.
void put_parameter(Emitter& emitter, const std::string& name, const Value* value,
                   const Type* by_value);

}  // namespace coalesce::translator
