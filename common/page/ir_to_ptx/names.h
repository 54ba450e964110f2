// Names as PTX can spell them.
#pragma once

#include <string>

#include "page/ir_to_ptx/ir.h"

namespace coalesce::translator {

/// "switch.table" -> "switch_$_table": PTX has letters, digits, _ and $.
std::string ptx_name(const std::string& name);
std::string parameter_name(const Function& function, u32 index);
std::string space_text(Space space);  ///< ".global"; "" for generic

}  // namespace coalesce::translator
