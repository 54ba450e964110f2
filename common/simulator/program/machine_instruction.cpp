#include "program/machine_instruction.h"

#include <algorithm>

#include "execute/describe.h"

namespace coalesce::sim {

using ptx::Instruction;
using ptx::StateSpace;

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> list) {
    return std::find(list.begin(), list.end(), word) != list.end();
}

bool is_access(const Instruction& i) {
    return is_one_of(i.opcode, {"ld", "ldu", "st", "atom", "red"});
}

MemoryEffect memory_effect(const Instruction& i) {
    if (i.opcode == "ld" || i.opcode == "ldu") {
        if (i.has("volatile") || i.has("acquire")) return MemoryEffect::both;
        const bool never_changes = i.has("nc") || i.has("param") || i.has("const");
        return never_changes ? MemoryEffect::none : MemoryEffect::load;
    }
    if (i.opcode == "st" && i.has("param")) return MemoryEffect::none;
    if (i.opcode == "st") return i.has("volatile") ? MemoryEffect::both : MemoryEffect::store;
    if (is_one_of(i.opcode, {"atom", "red", "cp"})) return MemoryEffect::both;
    if (is_one_of(i.opcode, {"bar", "barrier", "membar", "fence", "mbarrier", "call", "nanosleep",
                             "griddepcontrol", "discard"}))
        return MemoryEffect::fence;
    return MemoryEffect::none;
}

bool ends_straight_code(const Instruction& i) {
    return is_one_of(i.opcode, {"bra", "brx", "ret", "exit", "call", "trap", "brkpt"});
}

namespace {

/// Carried out by the unit for functions, reciprocals and conversions.
bool is_slow(const Instruction& i) {
    if (is_one_of(i.opcode, {"rcp", "sqrt", "rsqrt", "sin", "cos", "ex2", "lg2", "tanh", "popc",
                             "clz", "bfind", "brev"}))
        return true;
    return i.opcode == "cvt" &&
           std::any_of(i.modifiers.begin(), i.modifiers.end(), [](const std::string& modifier) {
               return ptx::is_float(ptx::type_named(modifier));
           });
}

}  // namespace

u32 latency_of(const Instruction& i) {
    constexpr u32 kArithmetic = 5, kDouble = 8, kShared = 30, kSpecial = 20, kGlobal = 200;
    const StateSpace space = space_of(i);
    if (is_one_of(i.opcode, {"ld", "ldu", "atom"})) {
        if (i.has("param") || space == StateSpace::constant) return kDouble;
        return space == StateSpace::shared ? kShared : kGlobal;
    }
    if (is_one_of(i.opcode, {"shfl", "vote", "match", "redux"})) return kShared;
    const bool reads_special = i.opcode == "mov" && i.operands.size() > 1 &&
                               i.operands[1].kind == ptx::Operand::Kind::special;
    if (reads_special || (is_slow(i) && i.opcode != "cvt")) return kSpecial;
    return i.has("f64") ? kDouble : kArithmetic;
}

u32 words_inside(const Instruction& i) {
    constexpr u32 kDivision = 6, kSlow = 2;
    const bool divides = i.opcode == "div" || i.opcode == "rem";
    if (divides && (i.has("u32") || i.has("s32") || i.has("u16") || i.has("s16"))) return kDivision;
    return is_slow(i) ? kSlow : 0;
}

}  // namespace coalesce::sim
