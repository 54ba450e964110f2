// A library in LLVM IR, with functions for operations that PTX has no instruction for.
#pragma once

namespace coalesce::translator {

/// The text of the library. It is appended to every module, and functions that nothing calls are
/// removed.
extern const char* const kLibrary;

}  // namespace coalesce::translator
