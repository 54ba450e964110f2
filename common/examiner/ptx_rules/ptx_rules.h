/// \file
/// Inspects the compiler's output before it may be graded. Sources are not inspected: macros,
/// headers and inline assembly can hide anything in them, but cannot hide anything in PTX. The
/// grader and `./learn check --as-graded` apply the same rules.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "examiner/failure.h"
#include "examiner/signature.h"

namespace coalesce {

/// The rules for the PTX of kernels that an assignment can change.
struct PtxRules {
    /// Features that are allowed in addition to the default ones: "smid", "createpolicy", and
    /// "global" for variables in global memory that the kernel changes.
    std::vector<std::string> allow = {};
    std::size_t ptx_kb = 4096;         ///< maximum size of the PTX in KiB
    std::size_t shared_bytes = 49152;  ///< maximum bytes of all __shared__ arrays
    std::size_t local_bytes = 65536;   ///< maximum bytes of local memory per thread
};

/// Inspects PTX that a compiler produced from a student's file. The text may contain anything.
/// `entry` is the kernel's name in PTX, such as "_Z9transposePfPKfii". Returns a failure of kind
/// `none` if the module is acceptable, `ptx_too_large` or `ptx_refused` if not, and `ptx_forged`
/// for inline assembly that deliberately imitates something else. The place of the failure is a
/// line of the student's file, or 0. `signature` has the parameters that the kernel and `configure`
/// must have.
Failure inspect_ptx(std::string_view ptx, const std::string& entry, const PtxRules& rules,
                    const Signature& signature = {});

/// Returns the features that the rules reject, each as a phrase for students.
std::vector<std::string> describe_rules(const PtxRules& rules);

}  // namespace coalesce
