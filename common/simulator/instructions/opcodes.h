// The list of PTX opcodes that the simulator runs, for the lookup, for messages and for the docs.
#pragma once

#include <string_view>
#include <vector>

#include "base/types.h"

namespace coalesce::sim {

/// Where an opcode is implemented.
enum class OpcodeGroup : u8 {
    lanes,    ///< instructions/: each lane from the same lane of the sources
    move,     ///< program/: mov, cvta and their like, done while lowering
    memory,   ///< execute/: loads, stores, atomics, copies
    warp,     ///< execute/: between the lanes of a warp
    sync,     ///< execute/: barriers, fences
    control,  ///< execute/: branches, calls, the end of a thread
    system,   ///< execute/: clocks, traps, hints
};

struct OpcodeEntry {
    std::string_view name;
    OpcodeGroup group;
    std::string_view sentence;
};

/// In the order of opcodes.inc.
const std::vector<OpcodeEntry>& opcodes();
const OpcodeEntry* find_opcode(std::string_view name);

}  // namespace coalesce::sim
