// The list of PTX opcodes that the simulator runs. The lowering asks it who carries an instruction out, the grader
// what a submission may use.
#pragma once

#include <string_view>
#include <vector>

#include "simulator/base/types.h"
#include "simulator/code/exactness.h"

namespace coalesce::simulator {

/// Where an opcode is carried out, and what kind of thing it does.
enum class OpcodeGroup : u8 {
    lanes,    ///< instructions/: each lane from the same lane of the sources
    move,     ///< program/lower_values.cpp: mov and cvta, mostly done while lowering
    access,   ///< program/lower_memory.cpp: loads and stores
    control,  ///< program/lower_control.cpp: branches, calls, barriers, the end of a thread
    warp,     ///< execute/families.cpp: between the lanes of a warp
    memory,   ///< execute/families.cpp: atomics, copies, fences, questions about addresses
    machine,  ///< execute/families.cpp: timers, traps, hints, clusters, textures. No exercise needs them
};

struct OpcodeEntry {
    std::string_view name;
    OpcodeGroup group;
    Exactness exactness;
    std::string_view sentence;

    /// addc, subc, madc: what they compute from is more than their operands.
    bool reads_carry() const;
};

/// In the order of opcodes.inc.
const std::vector<OpcodeEntry>& opcodes();
/// nullptr: the simulator knows no such instruction.
const OpcodeEntry* find_opcode(std::string_view name);

}  // namespace coalesce::simulator
