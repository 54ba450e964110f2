// Reads the memory instructions in the sm_90 machine code of a cubin. Each instruction has its
// width and its source line.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/base/types.h"

namespace coalesce::simulator {

/// A machine instruction that accesses memory: LDS, STS, LDG, STG, LDL or STL.
struct MachineMemory {
    std::string_view opcode;
    u32 bytes = 0;  ///< bytes per lane
    u32 line = 0;   ///< the source line, or 0 if the cubin has no line table

    auto operator<=>(const MachineMemory&) const = default;
};

/// Returns the memory instructions of each kernel, in the order of the machine code. Throws
/// std::runtime_error if the file is not a cubin.
std::map<std::string, std::vector<MachineMemory>> read_cubin(std::string_view file);

}  // namespace coalesce::simulator
