// The table of instruction families, and the helpers with which they are described.
#include "execute/families.h"

#include <algorithm>

#include "execute/describe.h"

namespace coalesce::sim {

using ptx::Operand;
using ptx::StateSpace;

namespace {

struct FamilyRow {
    const char* opcode;
    Describe describe;
};

constexpr FamilyRow kFamilies[] = {
    // Lanes of a warp together.
    {"shfl", describe_shuffle},  // d = the register of another lane; p = that lane exists
    {"vote", describe_vote},     // is a predicate true in all, any, the same in all lanes; in which
    {"match", describe_match},   // which lanes hold the same value; do all
    {"redux", describe_reduce},  // sum, minimum, maximum, and, or, xor over the lanes
    {"activemask", describe_active_mask},  // the lanes that run this instruction together
    {"elect", describe_elect},             // one lane of those named is chosen: the lowest

    // All lanes of a warp together, on matrices.
    {"ldmatrix", describe_matrix_load},   // 8x8 matrices from shared memory to registers
    {"stmatrix", describe_matrix_store},  // ... and back
    {"movmatrix", describe_matrix_move},  // d = an 8x8 matrix, turned
    {"mma", describe_mma},                // d = a * b + c, of matrices
    {"wmma", describe_wmma},              // the same with layouts that the machine chooses

    // Memory that others change meanwhile.
    {"atom", describe_atomic},    // reads, changes and writes back in one go; returns the old value
    {"red", describe_reduction},  // the same, and nobody wants the old value
    {"cp", describe_cp},          // cp.async: to or from shared memory without waiting for it
    {"mbarrier", describe_mbarrier},  // a barrier that lives in shared memory and counts arrivals
    {"membar", describe_fence},       // orders memory accesses
    {"fence", describe_fence},

    // Textures and surfaces.
    {"tex", describe_fetch},    // d = what a texture has at some coordinates
    {"tld4", describe_gather},  // d = one component of the four texels around them
    {"suld", describe_surface_load},
    {"sust", describe_surface_store},
    {"sured", describe_surface_reduction},  // reads, changes and writes back, as red does
    {"txq", describe_texture_query},  // d = a fact about a texture: its width, its address mode
    {"suq", describe_surface_query},
    {"istypep", describe_is_type},  // p = this number is a texture's, or a surface's

    // Advice to the hardware: nothing to do here.
    {"prefetch", describe_hint},
    {"prefetchu", describe_hint},
    {"applypriority", describe_hint},
    {"discard", describe_hint},
    {"griddepcontrol", describe_hint},
    {"setmaxnreg", describe_hint},
    {"pmevent", describe_hint},
    {"createpolicy",
     describe_create_policy},  // d = a cache policy; what it holds matters to nobody

    // The rest.
    {"nanosleep", describe_sleep},    // lets simulated time pass
    {"trap", describe_trap},          // ends the launch with an error
    {"brkpt", describe_breakpoint},   // a breakpoint: nobody is debugging
    {"isspacep", describe_is_space},  // p = this generic address lies in that state space
    {"mapa",
     describe_map_address},  // d = the address of this variable in another block of the cluster
    {"getctarank", describe_block_rank},  // d = which block of the cluster this address belongs to
};

}  // namespace

std::optional<FamilyInstruction> find_family_instruction(const ptx::Instruction& instruction,
                                                         const ptx::Function& function) {
    const auto family = std::ranges::find_if(
        kFamilies, [&](const FamilyRow& f) { return instruction.opcode == f.opcode; });
    if (family == std::end(kFamilies)) return std::nullopt;
    return family->describe(instruction, function);
}

ptx::Type type_of(const ptx::Instruction& instruction) {
    for (auto m = instruction.modifiers.rbegin(); m != instruction.modifiers.rend(); ++m)
        if (const ptx::Type type = ptx::type_named(*m); type != ptx::Type::none) return type;
    return ptx::Type::none;
}

StateSpace space_of(const ptx::Instruction& instruction) {
    for (const std::string& m : instruction.modifiers) {
        if (m == "global") return StateSpace::global;
        if (m == "shared" || m == "shared::cta" || m == "shared::cluster")
            return StateSpace::shared;
        if (m == "local") return StateSpace::local;
        if (m == "const") return StateSpace::constant;
    }
    return StateSpace::generic;
}

u32 vector_length(const ptx::Instruction& instruction) {
    if (instruction.has("v2")) return 2;
    if (instruction.has("v4")) return 4;
    if (instruction.has("v8")) return 8;
    return 1;
}

bool is_sink(const ptx::Instruction& instruction, std::size_t operand) {
    return operand < instruction.operands.size() &&
           instruction.operands[operand].kind == Operand::Kind::sink;
}

bool is_predicate(const ptx::Instruction& instruction, const ptx::Function& function,
                  std::size_t operand) {
    if (operand >= instruction.operands.size()) return false;
    const Operand& o = instruction.operands[operand];
    return o.kind == Operand::Kind::reg && o.reg < function.registers.size() &&
           function.registers[o.reg].type == ptx::Type::pred;
}

std::optional<FamilyInstruction> describe(const ptx::Instruction& instruction, Handler run,
                                          std::vector<OperandRole> roles, std::size_t at_least,
                                          std::size_t at_most) {
    const std::size_t count = instruction.operands.size();
    if (!run || count < at_least || count > at_most) return std::nullopt;
    roles.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        if (is_sink(instruction, i)) roles[i].role = Role::ignored;
        if (instruction.operands[i].elements.empty()) roles[i].pair = Role::ignored;
    }
    FamilyInstruction result;
    result.run = run;
    result.operands = std::move(roles);
    return result;
}

}  // namespace coalesce::sim
