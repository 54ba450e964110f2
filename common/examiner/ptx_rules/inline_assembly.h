// Finds asm statements that imitate the compiler's own code.
#pragma once

#include <string>
#include <string_view>

namespace coalesce {

/// Returns a description of the first asm statement in `ptx` that imitates compiled code, or "" if
/// there is none. The check distinguishes an attempt to cheat from a mistake. A missed statement
/// does no harm, because the rules in ptx_rules.h apply to inline assembly too.
std::string find_deceit(std::string_view ptx);

}  // namespace coalesce
