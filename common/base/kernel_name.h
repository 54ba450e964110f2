// Readable names of kernels.
#pragma once

#include <string>

namespace coalesce {

/// Returns "void naive<float>(float*, float const*, int)" for "_Z5naiveIfEvPT_PKS0_i". Names that
/// are not mangled are returned unchanged.
std::string demangled(const std::string& name);

/// Returns "naive<float>" for "_Z5naiveIfEvPT_PKS0_i": the name without return type and parameters.
/// Names that are not mangled are returned unchanged.
std::string kernel_name(const std::string& mangled);

}  // namespace coalesce
