// Variables of a module, and the bytes that they begin with.
#pragma once

#include <string>
#include <vector>

#include "page/ir_to_ptx/ir.h"

namespace coalesce::translator {

/// ".visible .global .align 4 .b8 table[16] = {...}"; in a function's body without its visibility.
std::string variable_declaration(const Variable& variable, bool is_of_module);
/// Each after those whose address it holds.
std::vector<const Variable*> in_order(const Module& module);

}  // namespace coalesce::translator
