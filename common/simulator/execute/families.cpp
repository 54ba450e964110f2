// The table of instruction families, and helpers for describing them.
#include "simulator/execute/families.h"

#include "simulator/execute/describe.h"

namespace coalesce::simulator {

namespace {

constexpr FamilyRow kFamilies[] = {
    // Operations across the lanes of a warp.
    {"shfl", describe_shuffle},  // d = a register of another lane; p = whether that lane exists
    // Tests whether a predicate is true in all lanes, true in any lane, or equal in all lanes.
    // Another form returns a mask of the lanes in which the predicate is true.
    {"vote", describe_vote},
    {"match", describe_match},   // lanes that have the same value; whether all lanes have it
    {"redux", describe_reduce},  // sum, minimum, maximum, and, or, xor across the lanes
    {"activemask", describe_active_mask},  // lanes that execute this instruction together
    {"elect", describe_elect},             // chooses the lowest of the named lanes

    // Operations on memory that other threads may change at the same time.
    {"atom", describe_atomic},        // atomic read-modify-write; returns the old value
    {"red", describe_atomic},         // like atom, but without returning the old value
    {"cp", describe_cp},              // cp.async: asynchronous copies to or from shared memory
    {"mbarrier", describe_mbarrier},  // a barrier in shared memory that counts arrivals
    {"membar", describe_fence},       // orders memory accesses
    {"fence", describe_fence},

    // Hints to the hardware, which the simulator ignores.
    {"prefetch", describe_hint},
    {"prefetchu", describe_hint},
    {"applypriority", describe_hint},
    {"discard", describe_hint},
    {"griddepcontrol", describe_hint},
    {"setmaxnreg", describe_hint},
    {"pmevent", describe_hint},
    // d = a cache policy, which the simulator ignores
    {"createpolicy", describe_create_policy},

    // Other instructions.
    {"nanosleep", describe_sleep},    // lets simulated time pass
    {"trap", describe_trap},          // ends the launch with an error
    {"brkpt", describe_hint},         // a breakpoint, ignored without a debugger
    {"isspacep", describe_is_space},  // p = whether a generic address is in the given state space
    // d = the address of a shared variable in another block of the cluster
    {"mapa", describe_map_address},
    {"getctarank", describe_block_rank},  // d = rank of the block that this address belongs to
};

/// Returns the table row that describes `opcode`, or nullptr if no family has this opcode.
const FamilyRow* find_family(std::string_view opcode) {
    for (const std::span<const FamilyRow> families :
         {std::span<const FamilyRow>(kFamilies), matrix_families(), texture_families()}) {
        for (const FamilyRow& family : families)
            if (opcode == family.opcode) return &family;
    }
    return nullptr;
}

}  // namespace

Description find_family_instruction(const ptx::Instruction& instruction,
                                    const ptx::Function& function) {
    if (instruction.has("async") && (instruction.opcode == "st" || instruction.opcode == "red"))
        return describe_async_store(instruction);
    const FamilyRow* family = find_family(instruction.opcode);
    return family ? family->describe(instruction, function) : std::nullopt;
}

bool has_family(std::string_view opcode) {
    return find_family(opcode) != nullptr;
}

Description describe(const ptx::Instruction& instruction, FamilyInstruction family_instruction) {
    const std::size_t count = family_instruction.operands.size();
    return describe(instruction, std::move(family_instruction), count,
                    count + instruction.has("L2::cache_hint"));
}

Description describe(const ptx::Instruction& instruction, FamilyInstruction family_instruction,
                     std::size_t min_operands, std::size_t max_operands) {
    const std::size_t count = instruction.operands.size();
    if (!family_instruction.run || count < min_operands || count > max_operands)
        return std::nullopt;
    family_instruction.operands.resize(count);
    for (std::size_t i = 0; i < count; ++i)
        if (ptx::is_sink(instruction, i)) family_instruction.operands[i].role = Role::ignored;
    // Matrix instructions use the bits of `detail` for other purposes.
    if (!family_instruction.memory_uses.empty() && !family_instruction.matrix)
        family_instruction.detail |= static_cast<u8>(family_instruction.memory_uses[0].space);
    return family_instruction;
}

}  // namespace coalesce::simulator
