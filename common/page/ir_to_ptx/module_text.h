// Writes a complete PTX module.
#pragma once

#include <string>

#include "page/ir_to_ptx/ir.h"

namespace coalesce::translator {

std::string text_of(Module& module);

}  // namespace coalesce::translator
