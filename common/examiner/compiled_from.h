// Completes a compilation after the compiler has run: reads the compiler's messages, translates
// LLVM IR to PTX, finds the kernel in the PTX, and explains errors. This code starts no programs
// and opens no files, so it also works in a web page.
#pragma once

#include <string>
#include <vector>

#include "examiner/compile.h"
#include "examiner/signature.h"

namespace coalesce {

/// The output of a compiler.
struct RawOutput {
    bool is_good = false;        ///< whether the compiler succeeded and produced PTX or LLVM IR
    bool has_timed_out = false;  ///< whether the compiler was killed at the time limit
    int seconds = 0;             ///< the time limit in seconds
    std::string ptx = "";        ///< the PTX; empty if the compiler emitted LLVM IR
    std::string ir = "";         ///< the LLVM IR; empty if the compiler emitted PTX
    std::string output = "";     ///< the compiler's messages
};

/// Converts the compiler's output `raw_output` to a Compiled, and looks for the kernel in the PTX.
/// `compiler` is the name stored in Compiled::compiler.
Compiled finish_compilation(const Source& source, const Signature& signature,
                            const std::string& compiler, const RawOutput& raw_output);

/// Returns the names of the kernels in a PTX module, without kConfigureEntry.
std::vector<std::string> find_entries(const std::string& ptx);

}  // namespace coalesce
