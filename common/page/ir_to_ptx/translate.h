// Translates LLVM IR for NVIDIA's GPUs, as clang generates it, to PTX.
//
// Read next  README.md follows one line of a kernel through all steps.
#pragma once

#include <stdexcept>
#include <string>

namespace coalesce::translator {

/// Thrown if the IR contains something that the translator does not support. The message is for the
/// author of the kernel.
struct Untranslated : std::runtime_error {
    Untranslated(const std::string& message, const std::string& instruction,
                 const std::string& file, unsigned line);
    std::string instruction;  ///< the instruction's text in the IR
    std::string file;         ///< the source file; empty if unknown
    unsigned line;            ///< the line in that file; 0 if unknown
};

/// Translates one module of textual LLVM IR for nvptx64 with opaque pointers (clang 17 to 22).
/// Throws Untranslated.
std::string translate_ir_to_ptx(const std::string& ir);

}  // namespace coalesce::translator
