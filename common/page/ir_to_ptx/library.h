// Functions that a translated module may need: what PTX has no instruction for, written in LLVM IR.
#pragma once

namespace coalesce::translator {

/// Follows the text of every module; what nobody calls is dropped. library.cpp says which there are.
extern const char* const kLibrary;

}  // namespace coalesce::translator
