// Lists the PTX opcodes that the simulator supports. The lowering uses the list to choose the part
// of the simulator that executes an instruction. The grader uses the list to decide which
// instructions a submission may contain.
#pragma once

#include <string_view>
#include <vector>

#include "simulator/base/types.h"
#include "simulator/code/exactness.h"

namespace coalesce::simulator {

/// A group of opcodes that the same part of the simulator executes.
enum class OpcodeGroup : u8 {
    /// Lane-wise operations, which compute each lane of the result from the same lane of the source
    /// operands (instructions/).
    lanes,
    move,     ///< mov and cvta, most of which need no Op (lowering/lower_values.cpp)
    access,   ///< loads and stores (lowering/lower_memory.cpp)
    control,  ///< branches, calls, barriers and exit (lowering/lower_control.cpp)
    warp,     ///< exchanges of data between the lanes of a warp (execute/families.cpp)
    memory,   ///< atomics, copies, fences and address queries (execute/families.cpp)
    /// Timers, traps, hints, and instructions for clusters and textures, which no exercise needs
    /// (execute/families.cpp).
    machine,
};

struct OpcodeEntry {
    std::string_view name;
    OpcodeGroup group;
    Exactness exactness;
    std::string_view description;

    /// Reports whether the instruction reads the carry flag, like addc, subc and madc.
    bool reads_carry() const;
};

/// Returns all opcodes in the order of opcodes.inc.
const std::vector<OpcodeEntry>& opcodes();
/// Returns the entry of an opcode, or null if the opcode is unknown.
const OpcodeEntry* find_opcode(std::string_view name);

}  // namespace coalesce::simulator
