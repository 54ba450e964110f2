// Converts names to valid PTX identifiers.
#pragma once

#include <string>

#include "page/ir_to_ptx/ir.h"

namespace coalesce::translator {

/// Returns `name` with all characters replaced that PTX does not allow: "switch_$_table" for
/// "switch.table". PTX allows letters, digits, _ and $.
std::string ptx_name(const std::string& name);
std::string parameter_name(const Function& function, u32 index);
std::string space_text(Space space);  ///< ".global"; "" for generic

}  // namespace coalesce::translator
