// Finds asm statements that try to pass for the compiler's own code.
#pragma once

#include <string>
#include <string_view>

namespace coalesce {

/// Describes the first deceit in the asm statements of a PTX text, or returns "". The rules in
/// ptx_rules.h already reject everything dangerous. This check only distinguishes deceit from
/// mistakes. Code that also forges the compiler's marks counts as compiled code, and gains nothing
/// by it.
std::string find_deceit(std::string_view ptx);

}  // namespace coalesce
