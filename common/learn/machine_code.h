/// \file
/// What NVIDIA's tools make of PTX, where they are installed: registers, and machine code (SASS).
#pragma once

#include <map>
#include <string>

namespace coalesce::learn {

/// What ptxas said.
struct Assembled {
    std::map<std::string, int>
        registers;   ///< of a thread, by kernel; empty where there is no ptxas
    std::string by;  ///< "ptxas for sm_90"
};
/// Translates it, to see what comes out.
Assembled assembled(const std::string& ptx);

/// The machine code of a kernel, as nvdisasm or cuobjdump prints it. Throws UsageError that names the tool
/// that is missing, and std::runtime_error with what a tool has to say.
std::string sass_of(const std::string& ptx, const std::string& entry);

}  // namespace coalesce::learn
