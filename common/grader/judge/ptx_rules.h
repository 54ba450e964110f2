/// \file
/// What the compiler produced, looked at before it may run. Sources are never judged by their text:
/// macros, headers and inline assembly hide everything there, and nothing here.
#pragma once

#include <string>
#include <string_view>

#include "grader/judge/judge.h"

namespace coalesce::grader {

/// Looks at a module that a jail's compiler gave for an exercise; `entry` is the kernel's name in PTX,
/// "_Z9transposePfPKfii". It may be anything at all. Kind `none` where nothing is wrong;
/// else `ptx_refused`, `ptx_too_large`, or `ptx_forged` for inline assembly that pretends to be something else,
/// which is no accident. The place is a line of the student's file, or 0.
Failure look_at_ptx(std::string_view ptx, const std::string& entry, const Assigned& exercise);

}  // namespace coalesce::grader
