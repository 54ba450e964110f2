// Readable names of kernels.
#pragma once

#include <string>

namespace coalesce {

/// Demangles a name: "_Z5naiveIfEvPT_PKS0_i" becomes "void naive<float>(float*, float const*,
/// int)". Returns names that are not mangled unchanged.
std::string demangled(const std::string& name);

/// Returns a kernel's name without its return type and parameters: "_Z5naiveIfEvPT_PKS0_i" becomes
/// "naive<float>". Returns names that are not mangled unchanged.
std::string kernel_name(const std::string& mangled);

}  // namespace coalesce
