// The variables of a module, and their initial values.
#pragma once

#include <string>
#include <vector>

#include "page/ir_to_ptx/ir.h"

namespace coalesce::translator {

/// Returns a declaration such as ".visible .global .align 4 .b8 table[16] = {...}". If
/// `is_of_module` is false, the variable belongs to a function, and the visibility is omitted.
std::string variable_declaration(const Variable& variable, bool is_of_module);
/// Returns the variables, sorted so that each one comes after the variables whose addresses it
/// contains.
std::vector<const Variable*> order_by_dependencies(const Module& module);

}  // namespace coalesce::translator
