// Library functions in LLVM IR, for operations that have no PTX instruction.
#pragma once

namespace coalesce::translator {

/// The text of the library, which is appended to every module. Library functions that are not
/// called are removed afterwards.
extern const char* const kLibrary;

}  // namespace coalesce::translator
