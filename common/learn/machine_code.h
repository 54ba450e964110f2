/// \file
/// Determines a kernel's register count and its machine code (SASS) with NVIDIA's tools, if they
/// are installed.
#pragma once

#include <map>
#include <string>

namespace coalesce::learn {

/// The registers that ptxas reported.
struct AssembledKernels {
    /// registers per thread, by the kernel's name in the PTX; empty if ptxas is not installed
    std::map<std::string, int> registers;
    std::string tool_name;  ///< such as "ptxas for sm_90"
};
/// Runs ptxas on the PTX.
AssembledKernels assemble_ptx(const std::string& ptx);

/// Returns the machine code of a kernel, as printed by nvdisasm or cuobjdump. If a tool is missing,
/// throws a UsageError naming it. If a tool fails, throws a std::runtime_error with the tool's
/// message.
std::string disassemble(const std::string& ptx, const std::string& entry);

}  // namespace coalesce::learn
