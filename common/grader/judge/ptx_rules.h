/// \file
/// What the compiler produced, looked at before it may run. Sources are never judged by their text:
/// macros, headers and inline assembly hide everything there, and nothing here.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/failure.h"

namespace coalesce::grader {

/// What PTX may have.
struct PtxRules {
    std::string entry;                    ///< the kernel's name in PTX: "_Z9transposePfPKfii"
    std::vector<std::string> allow = {};  ///< see Assigned::allow
    std::size_t most_bytes = std::size_t{4} << 20;  ///< of text
    std::size_t most_shared = 49152;                ///< bytes of .shared arrays in all
    std::size_t most_local = 65536;                 ///< bytes of .local arrays in all
    std::size_t most_functions = 256;               ///< with a body, kernels among them
};

/// Looks at a module that a jail's compiler gave. It may be anything at all. Kind `none` where nothing is wrong;
/// else `ptx_refused`, `ptx_too_large`, or `ptx_forged` for inline assembly that pretends to be something else,
/// which is no accident. The place is a line of the student's file, or 0.
Failure look_at_ptx(std::string_view ptx, const PtxRules& rules);

}  // namespace coalesce::grader
