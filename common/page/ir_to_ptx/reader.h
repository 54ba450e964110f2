// Parses the text of LLVM IR, and builds the structures of ir.h from it.
#pragma once

#include <memory>
#include <string>

#include "page/ir_to_ptx/ir.h"

namespace coalesce::translator {

/// Reads a module. Throws Untranslated if the text contains anything unsupported.
std::unique_ptr<Module> read_module(const std::string& text);

}  // namespace coalesce::translator
