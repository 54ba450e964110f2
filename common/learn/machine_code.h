/// \file
/// Runs NVIDIA's tools, if they are installed, to find a kernel's registers and its machine code (SASS).
#pragma once

#include <map>
#include <string>

namespace coalesce::learn {

/// The registers that ptxas reported.
struct Assembled {
    std::map<std::string, int> registers;  ///< registers per thread of each kernel, if ptxas exists
    std::string by;                        ///< "ptxas for sm_90"
};
/// Runs ptxas on the PTX.
Assembled assembled(const std::string& ptx);

/// Returns the machine code of a kernel, as nvdisasm or cuobjdump prints it. If a tool is missing,
/// throws UsageError that names the tool. If a tool fails, throws std::runtime_error with its
/// message.
std::string sass_of(const std::string& ptx, const std::string& entry);

}  // namespace coalesce::learn
