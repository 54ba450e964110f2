// All that comes after a compiler has run: its messages are read, LLVM IR becomes PTX, the kernel is
// found in it, and what is wrong is explained. It starts no programs and opens no files, so that it
// works in a page as well.
#pragma once

#include <string>
#include <vector>

#include "examiner/compile.h"

namespace coalesce {

/// What a compiler made of a text.
struct RawOutput {
    bool is_good = false;         ///< it made something
    bool is_out_of_time = false;  ///< it was ended
    int seconds = 0;              ///< that it was allowed
    std::string ptx = "";         ///< when it is good and a compiler made PTX
    std::string ir = "";          ///< when it is good and the compiler made LLVM IR
    std::string output = "";      ///< what it said
};

/// What came of `source`, in which `kernel` is looked for. `compiler` is what Compiled::compiler says.
Compiled compiled_from(const Source& source, const std::string& kernel, const std::string& compiler,
                       const RawOutput& raw);

/// The kernels of a module, as they are called in its PTX, without the one that `wrapped` appends.
std::vector<std::string> entries_of(const std::string& ptx);

/// The name in PTX of a kernel that takes (float*, const float*, int, int).
std::string entry_of(const std::string& kernel);

}  // namespace coalesce
