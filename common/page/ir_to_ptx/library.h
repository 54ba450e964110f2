// Library functions in LLVM IR, for operations that have no PTX instruction.
#pragma once

namespace coalesce::translator {

/// The text of the library. It is appended to every module, and functions that nothing calls are
/// removed.
extern const char* const kLibrary;

}  // namespace coalesce::translator
