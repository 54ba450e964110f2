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
    /// instructions/: lane-wise operations, in which each lane depends only on the same lane of the
    /// sources.
    lanes,
    move,     ///< lowering/lower_values.cpp: mov and cvta, most of which need no Op
    access,   ///< lowering/lower_memory.cpp: loads and stores
    control,  ///< lowering/lower_control.cpp: branches, calls, barriers, exit
    warp,     ///< execute/families.cpp: operations that exchange data between the lanes of a warp
    memory,   ///< execute/families.cpp: atomics, copies, fences, address queries
    /// execute/families.cpp: timers, traps, hints, clusters, textures. No exercise needs them.
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
