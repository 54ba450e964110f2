// The list of PTX opcodes that the simulator supports. It tells the lowering who executes an
// instruction, and the grader which instructions a submission may use.
#pragma once

#include <string_view>
#include <vector>

#include "simulator/base/types.h"
#include "simulator/code/exactness.h"

namespace coalesce::simulator {

/// The part of the simulator that executes an opcode, and what kind of operation it is.
enum class OpcodeGroup : u8 {
    lanes,    ///< instructions/: computes each lane from the same lane of the sources
    move,     ///< program/lower_values.cpp: mov and cvta, mostly done while lowering
    access,   ///< program/lower_memory.cpp: loads and stores
    control,  ///< program/lower_control.cpp: branches, calls, barriers, exit
    warp,     ///< execute/families.cpp: operations between the lanes of a warp
    memory,   ///< execute/families.cpp: atomics, copies, fences, queries about addresses
    /// execute/families.cpp: timers, traps, hints, clusters, textures; no exercise needs them.
    machine,
};

struct OpcodeEntry {
    std::string_view name;
    OpcodeGroup group;
    Exactness exactness;
    std::string_view sentence;

    /// Reports whether the instruction also reads the carry flag: addc, subc, madc.
    bool reads_carry() const;
};

/// Returns the opcodes in the order of opcodes.inc.
const std::vector<OpcodeEntry>& opcodes();
/// Returns nullptr for an unknown instruction.
const OpcodeEntry* find_opcode(std::string_view name);

}  // namespace coalesce::simulator
