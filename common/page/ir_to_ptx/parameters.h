// Passes arguments to functions, and returns their results, through the .param space.
#pragma once

#include <string>

#include "page/ir_to_ptx/emitter.h"

namespace coalesce::translator {

/// Returns a function's header, such as ".func (...) name(...)", or ".visible .entry name( ... )"
/// with the launch bounds.
std::string function_header(const Function& function);
/// Returns the declaration of a function that is defined later or in another module.
std::string prototype(const Function& function);

/// Returns the declaration of an argument or a result, such as ".param .b32 name".
std::string parameter_declaration(const Type& type, const Type* by_value, u32 align,
                                  const std::string& name);
/// Emits st.param instructions that store all parts of `value` in the parameter `name`.
void emit_parameter_store(Emitter& emitter, const std::string& name, const Value* value,
                          const Type* by_value);

}  // namespace coalesce::translator
