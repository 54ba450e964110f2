/// \file
/// Inspects the compiler's output before it may run. Sources are not inspected, because macros, headers and inline
/// assembly can hide anything there, but nothing in the PTX.
#pragma once

#include <string>
#include <string_view>

#include "grader/judge/judge.h"

namespace coalesce::grader {

/// Inspects a module that the jailed compiler returned for an exercise. The module may contain anything. `entry` is
/// the kernel's name in PTX, "_Z9transposePfPKfii". Returns kind `none` if it is acceptable, otherwise `ptx_refused`,
/// `ptx_too_large`, or `ptx_forged` for inline assembly that imitates something else, which is no accident. The place
/// is a line of the student's file, or 0.
Failure look_at_ptx(std::string_view ptx, const std::string& entry, const Assigned& exercise);

}  // namespace coalesce::grader
