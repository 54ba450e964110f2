// LLVM IR for NVIDIA's GPUs, as clang writes it, into PTX.
//
// Read next  README.md follows one line of a kernel through all of it.
#pragma once

#include <stdexcept>
#include <string>

namespace coalesce::translator {

/// What stands in the IR and is not known here. The words are for who wrote the kernel.
struct Untranslated : std::runtime_error {
    Untranslated(const std::string& what, const std::string& instruction, const std::string& file,
                 unsigned line);
    std::string instruction;  ///< as it stands in the IR
    std::string file;         ///< of the source that it was made of; empty: not known
    unsigned line;            ///< in that file; 0: not known
};

/// `ir`: one module of textual LLVM IR for nvptx64 with opaque pointers (clang 17 to 22).
/// Throws Untranslated.
std::string ptx_of(const std::string& ir);

}  // namespace coalesce::translator
