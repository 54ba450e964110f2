/// \file
/// Inspects the PTX that a compiler produced. A kernel is graded only if its PTX passes the
/// inspection. Macros, headers and inline assembly can hide code in a source, but not in PTX. The
/// grader and `./learn check --as-graded` apply the same rules.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "examiner/failure.h"
#include "examiner/signature.h"

namespace coalesce {

/// The rules for the PTX of kernels. An assignment can override them.
struct PtxRules {
    /// Features that are allowed in addition to the default ones: "smid", "createpolicy", and
    /// "global" for variables in global memory that the kernel changes.
    std::vector<std::string> allow = {};
    std::size_t ptx_kb = 4096;         ///< maximum size of the PTX in KiB
    std::size_t shared_bytes = 49152;  ///< maximum total size of the __shared__ arrays, in bytes
    std::size_t local_bytes = 65536;   ///< maximum local memory per thread, in bytes
};

/// Inspects PTX that a compiler produced from a student's file. The text may contain anything.
/// `entry` is the kernel's name in PTX, such as "_Z9transposePfPKfii". `signature` contains the
/// parameters that the kernel and `configure` must have.
///
/// Returns a failure of kind `none` if the module is acceptable. Otherwise the kind is
/// `ptx_too_large`, `ptx_refused`, or `ptx_forged` if inline assembly deliberately imitates
/// compiled code. The failure's line is a line of the student's file, or 0 if it is unknown.
Failure inspect_ptx(std::string_view ptx, const std::string& entry, const PtxRules& rules,
                    const Signature& signature = {});

/// Returns the features that the rules reject, each described in a phrase that students can read.
std::vector<std::string> describe_rules(const PtxRules& rules);

}  // namespace coalesce
