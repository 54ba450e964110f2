#include "simulator/ptxas/machine_instruction.h"

#include <algorithm>

#include "simulator/analysis/deciding_registers.h"
#include "simulator/ptx/instruction_parts.h"

namespace coalesce::simulator {

using ptx::Instruction;
using ptx::StateSpace;

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> list) {
    return std::find(list.begin(), list.end(), word) != list.end();
}

namespace {

bool loads_matrix(const Instruction& i) {
    return i.opcode == "ldmatrix" || (i.opcode == "wmma" && i.has("load"));
}
bool stores_matrix(const Instruction& i) {
    return i.opcode == "stmatrix" || (i.opcode == "wmma" && i.has("store"));
}

}  // namespace

bool is_access(const Instruction& i) {
    return is_one_of(i.opcode, {"ld", "ldu", "st", "atom", "red"}) || loads_matrix(i) ||
           stores_matrix(i);
}

bool loads_global_memory(const Instruction& i) {
    const StateSpace space = find_space(i);
    return i.opcode == "ld" && !i.has("param") &&
           (space == StateSpace::global || space == StateSpace::generic);
}

bool is_texel_access(const Instruction& i) {
    return is_one_of(i.opcode, {"tex", "tld4", "suld", "sust", "sured"});
}

bool is_64_bit(const Instruction& i) {
    return i.has("s64") || i.has("u64") || i.has("b64");
}

MemoryEffect find_memory_effect(const Instruction& i) {
    if (i.opcode == "ld" || i.opcode == "ldu") {
        if (i.has("volatile") || i.has("acquire")) return MemoryEffect::both;
        const bool never_changes = i.has("nc") || i.has("param") || i.has("const");
        return never_changes ? MemoryEffect::none : MemoryEffect::load;
    }
    if (i.opcode == "st" && i.has("param")) return MemoryEffect::none;
    if (i.opcode == "st") return i.has("volatile") ? MemoryEffect::both : MemoryEffect::store;
    if (loads_matrix(i)) return MemoryEffect::load;
    if (stores_matrix(i)) return MemoryEffect::store;
    if (is_one_of(i.opcode, {"atom", "red", "cp"}) || reads_clock(i)) return MemoryEffect::both;
    if (is_one_of(i.opcode, {"bar", "barrier", "membar", "fence", "mbarrier", "call", "nanosleep",
                             "griddepcontrol", "discard"}))
        return MemoryEffect::fence;
    return MemoryEffect::none;
}

bool reads_special_register(const Instruction& i) {
    return i.opcode == "mov" && i.operands.size() > 1 && i.operands[1].is_special();
}

bool ends_straight_code(const Instruction& i) {
    return is_one_of(i.opcode, {"bra", "brx", "ret", "exit", "call", "trap", "brkpt"});
}

bool may_diverge(const Instruction& i) {
    return !i.label.empty() || ends_straight_code(i);
}

bool uses_special_function_unit(const Instruction& i) {
    if (i.opcode != "cvt")
        return is_one_of(i.opcode, {"rcp", "sqrt", "rsqrt", "sin", "cos", "ex2", "lg2", "tanh",
                                    "popc", "clz", "bfind", "brev"});
    // Conversions that round to f32, or from f32 to a shorter float, are executed by the normal
    // arithmetic units.
    if (i.modifiers.size() < 2) return false;
    const std::string& destination_type = i.modifiers[i.modifiers.size() - 2];
    const std::string& source_type = i.modifiers.back();
    if (!ptx::is_float(ptx::parse_type(destination_type)) &&
        !ptx::is_float(ptx::parse_type(source_type)))
        return false;
    if (destination_type == "f32" && is_one_of(source_type, {"f16", "bf16"})) return false;
    // Conversions of pairs of shorter floats, and of f32 to bytes with rounding to nearest or
    // towards zero, are also executed by the normal arithmetic units.
    if (destination_type.ends_with("x2") || source_type.ends_with("x2") ||
        destination_type == "tf32")
        return false;
    if (destination_type == "u8" && source_type == "f32" && (i.has("rni") || i.has("rzi")))
        return false;
    if (destination_type == "f32" && is_one_of(source_type, {"s32", "u32", "u16"}))
        return !i.has("rn") && !i.has("rz");
    const bool is_shorter = source_type == "f32" && destination_type != "f64" &&
                            ptx::is_float(ptx::parse_type(destination_type));
    return !(i.has("rn") || i.has("rz")) || !is_shorter;
}

u32 find_latency(const Instruction& i) {
    constexpr u32 kArithmeticCycles = 4, kDoubleCycles = 8, kPredicateCycles = 13,
                  kSharedCycles = 30, kSpecialCycles = 20, kGlobalCycles = 200;
    const StateSpace space = find_space(i);
    if (is_one_of(i.opcode, {"ld", "ldu", "atom"}) || loads_matrix(i)) {
        if (i.has("param") || space == StateSpace::constant) return kDoubleCycles;
        return space == StateSpace::shared ? kSharedCycles : kGlobalCycles;
    }
    if (is_one_of(i.opcode, {"tex", "tld4", "suld"})) return kGlobalCycles;
    if (is_one_of(i.opcode, {"shfl", "vote", "match", "redux", "movmatrix", "mma", "wmma"}))
        return kSharedCycles;
    if (reads_special_register(i) || uses_special_function_unit(i)) return kSpecialCycles;
    if (is_one_of(i.opcode, {"set", "setp"})) return kPredicateCycles;
    if (is_one_of(i.opcode, {"add", "sub", "mul", "mad"}) &&
        (i.has("s64") || i.has("u64") || i.has("wide")))
        return kArithmeticCycles + 1;
    return i.has("f64") ? kDoubleCycles : kArithmeticCycles;
}

namespace {

/// The register words that machine instructions need in addition to sources and result, for PTX
/// instructions that become many machine instructions. Measured with ptxas for one such PTX
/// instruction at a time, with so many live values that each additional value needed a register.
/// (With few live values, a 16-bit division needs one word more. The upper half of a 64-bit product
/// needs six words with few live values and two with many; here it always needs four.)
struct InternalWords {
    std::string_view opcode, type;
    std::string_view mode;  ///< rounding mode, or empty if the row applies to all other modes
    u32 words;
    bool calls_routine;
};
constexpr InternalWords kInternalWords[] = {
    {"div", "f64", "rn", 15, true},  {"div", "f64", "", 13, true},
    {"sqrt", "f64", "", 13, true},   {"rcp", "f64", "rn", 8, true},
    {"rcp", "f64", "", 13, true},    {"min", "f64", "", 4, false},
    {"max", "f64", "", 4, false},    {"div", "f32", "", 9, true},
    {"sqrt", "f32", "rm", 4, true},  {"sqrt", "f32", "rz", 4, true},
    {"sqrt", "f32", "", 6, true},    {"rcp", "f32", "ftz", 4, true},
    {"rcp", "f32", "rz", 4, true},   {"rcp", "f32", "", 8, true},
    {"div", "s64", "", 15, true},    {"rem", "s64", "", 13, true},
    {"div", "u64", "", 11, true},    {"rem", "u64", "", 11, true},
    {"div", "s32", "", 8, false},    {"rem", "s32", "", 8, false},
    {"div", "u32", "", 6, false},    {"rem", "u32", "", 6, false},
    {"div", "s16", "", 5, true},     {"rem", "s16", "", 5, true},
    {"div", "u16", "", 5, true},     {"rem", "u16", "", 5, true},
    {"mul", "u64", "hi", 4, false},  {"mul", "s64", "hi", 4, false},
    {"madc", "u64", "hi", 4, false}, {"madc", "s64", "hi", 4, false}};

const InternalWords* find_internal_words(const Instruction& i) {
    const bool is_exact = !i.has("approx") && !i.has("full");
    for (const InternalWords& internal_words_entry : kInternalWords)
        if (i.opcode == internal_words_entry.opcode && i.has(internal_words_entry.type) &&
            is_exact && (internal_words_entry.mode.empty() || i.has(internal_words_entry.mode)))
            return &internal_words_entry;
    return nullptr;
}

}  // namespace

bool calls_routine(const Instruction& i) {
    const InternalWords* internal_words_entry = find_internal_words(i);
    return internal_words_entry && internal_words_entry->calls_routine;
}

bool has_branches_inside(const Instruction& i) {
    return calls_routine(i) || (i.opcode == "bfind" && (i.has("u64") || i.has("s64")));
}

bool waits_for_reads(const Instruction& i) {
    return is_one_of(i.opcode, {"membar", "fence", "call"}) || has_branches_inside(i);
}

u32 find_second_latency(const Instruction& i) {
    constexpr u32 kArithmeticCycles = 4, kCompareAndSelectCycles = 17;
    if (i.opcode == "redux") return kArithmeticCycles;  // moved from a uniform register
    if (i.opcode == "set")
        return i.has("s16") || i.has("u16") ? 2 * kArithmeticCycles : kArithmeticCycles;
    if (i.opcode != "cvt" || !i.has("sat")) return 0;
    const ptx::Type source_type = ptx::parse_type(i.modifiers.back());
    if (ptx::is_float(source_type)) return kArithmeticCycles;
    return size_of(source_type) > 4 ? kCompareAndSelectCycles : 0;
}

namespace {

/// Returns the number of register words that a wmma load or store needs for addresses. Each of its
/// machine accesses has its own address. (Measured with ptxas, with the row stride as a parameter.)
/// 16 x 16 halves need fewer words than other floats, and integers need more.
u32 internal_address_words(const Instruction& i) {
    if (i.opcode != "wmma" || i.has("mma") || i.operands.size() < 3) return 0;
    if (!i.operands[2].is_register()) return 0;
    if (i.has("f16") && i.has("m16n16k16")) return 8;
    return i.has("s32") || i.has("s8") || i.has("u8") ? 15 : 12;
}

}  // namespace

u32 internal_words(const Instruction& i) {
    if (const u32 addresses = internal_address_words(i)) return addresses;
    const InternalWords* internal_words_entry = find_internal_words(i);
    return internal_words_entry ? internal_words_entry->words : 0;
}

u32 count_odd_internal_words(const Instruction& i) {
    // An unsigned division needs a word for the negated divisor and a word for the divisor's
    // reciprocal. Their product is added to a pair.
    constexpr u32 kOddWordsOfUnsigned = 2;
    return find_internal_words(i) && i.has("u32") ? kOddWordsOfUnsigned : 0;
}

}  // namespace coalesce::simulator
