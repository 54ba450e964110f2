/// \file
/// Inspects the compiler's output before it may run. Sources are not inspected: macros, headers and
/// inline assembly can hide anything in them, but cannot hide anything in PTX.
#pragma once

#include <string>
#include <string_view>

#include "examiner/signature.h"
#include "grader/judge/judge.h"

namespace coalesce::grader {

/// Inspects the PTX that the sandboxed compiler returned for an exercise. The text may contain
/// anything. `entry` is the kernel's name in PTX, such as "_Z9transposePfPKfii". Returns a failure
/// of kind `none` if the module is acceptable, `ptx_too_large` or `ptx_refused` if not, and
/// `ptx_forged` for inline assembly that deliberately imitates something else. The place of the
/// failure is a line of the student's file, or 0. `signature` has the parameters that the kernel and
/// `configure` must have.
Failure inspect_ptx(std::string_view ptx, const std::string& entry, const Assigned& exercise,
                    const Signature& signature = {});

}  // namespace coalesce::grader
