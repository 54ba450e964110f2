// Readable names of kernels.
#pragma once

#include <string>

namespace coalesce {

/// Demangles a name: "_Z5naiveIfEvPT_PKS0_i" becomes "void naive<float>(float*, float const*,
/// int)". A name that is not mangled is returned unchanged.
std::string demangled(const std::string& name);

/// Returns a kernel's name without its return type and parameters: "_Z5naiveIfEvPT_PKS0_i" becomes
/// "naive<float>". A name that is not mangled is returned unchanged.
std::string kernel_name(const std::string& mangled);

/// Like kernel_name, but with the parameters: "naive<float>(float*, float const*, int)".
std::string kernel_signature(const std::string& mangled);

}  // namespace coalesce
