// Finds asm statements that imitate the compiler's own code.
#pragma once

#include <string>
#include <string_view>

namespace coalesce {

/// Describes the first asm statement in a PTX text that imitates compiled code, or returns "". The
/// rules in ptx_rules.h already reject everything dangerous. This check only tells deliberate
/// imitation from mistakes. Code that also forges the compiler's marks counts as compiled code, and
/// gains nothing from the forgery.
std::string find_deceit(std::string_view ptx);

}  // namespace coalesce
