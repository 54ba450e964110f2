// Names of kernels as people write them.
#pragma once

#include <string>

namespace coalesce {

/// "_Z5naiveIfEvPT_PKS0_i" -> "void naive<float>(float*, float const*, int)"; names that are not mangled stay as they are.
std::string demangled(const std::string& name);

/// "_Z5naiveIfEvPT_PKS0_i" -> "naive<float>": without return type and parameters. Names that are
/// not mangled stay as they are.
std::string kernel_name(const std::string& mangled);

}  // namespace coalesce
