// Finds asm statements that imitate the compiler's own code.
#pragma once

#include <string>
#include <string_view>

namespace coalesce {

/// Returns a description of the first asm statement in `ptx` that imitates compiled code, or "" if
/// there is none. This check only distinguishes deliberate imitation from mistakes, because the
/// rules in ptx_rules.h already reject everything dangerous. Code between forged compiler markers
/// is treated as compiled code, to which the same rules apply.
std::string find_deceit(std::string_view ptx);

}  // namespace coalesce
