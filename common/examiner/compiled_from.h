// The part of a compilation after the compiler has run: reads its messages, translates LLVM IR to PTX, finds the
// kernel in it, and explains errors. It starts no programs and opens no files, so that it also works in a page.
#pragma once

#include <string>
#include <vector>

#include "examiner/compile.h"

namespace coalesce {

/// The output of a compiler.
struct RawOutput {
    bool is_good = false;         ///< whether it produced PTX or LLVM IR
    bool is_out_of_time = false;  ///< whether it was killed at the time limit
    int seconds = 0;              ///< the time limit
    std::string ptx = "";         ///< the PTX, if it made PTX
    std::string ir = "";          ///< the LLVM IR, if it made LLVM IR
    std::string output = "";      ///< its messages
};

/// Makes the result of compiling `source`, and looks for `kernel` in it. `compiler` becomes Compiled::compiler.
Compiled compiled_from(const Source& source, const std::string& kernel, const std::string& compiler,
                       const RawOutput& raw);

/// Returns the names of the kernels in a PTX module, without the one that `wrapped` adds.
std::vector<std::string> entries_of(const std::string& ptx);

/// Returns the mangled name of a kernel that takes (float*, const float*, int, int).
std::string entry_of(const std::string& kernel);

}  // namespace coalesce
