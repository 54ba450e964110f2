/// \file
/// What the compiler produced, looked at before it may run. Sources are never judged by their text:
/// macros, headers and inline assembly hide everything there, and nothing here.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

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

/// Why PTX is refused.
struct PtxProblem {
    /// How bad.
    enum class Kind {
        none,       ///< it is not
        refused,    ///< it has what the assignment forbids
        too_large,  ///< it is larger than the assignment allows
        forged,     ///< inline assembly that pretends to be something else: no accident
    };
    Kind kind = Kind::none;
    std::string headline = "";  ///< a sentence
    std::string next = "";      ///< what to do
    int line = 0;               ///< of the student's file; 0: not known
    /// Nothing is wrong.
    bool ok() const { return kind == Kind::none; }
};

/// Looks at a module that a jail's compiler gave. It may be anything at all.
PtxProblem look_at_ptx(std::string_view ptx, const PtxRules& rules);

}  // namespace coalesce::grader
