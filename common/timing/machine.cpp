#include "timing/machine.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace coalesce::timing {

namespace {

constexpr std::uint32_t kMaxPredicatedInstructions = 60;

bool has_64_bit_type(const Instruction& i) {
    if (i.modifiers.empty()) return false;
    const std::string_view type = i.modifiers.back();
    return type == "s64" || type == "u64" || type == "b64";
}

bool operates_on_predicates(const Instruction& i) {
    return !i.modifiers.empty() && i.modifiers.back() == "pred";
}

std::string_view result_type(const Instruction& i) {
    return i.modifiers.empty() ? std::string_view{} : std::string_view{i.modifiers.back()};
}

bool has_double_type(const Instruction& i) {
    return result_type(i) == "f64";
}

bool has_float_type(const Instruction& i) {
    const std::string_view type = result_type(i);
    return type == "f32" || type == "f16x2" || type == "f16" || type == "bf16x2";
}

/// Returns the cost of a division, which consists of computing the reciprocal, computing an
/// approximate quotient, and correcting the quotient. The remainder costs extra.
InstructionCost division_cost(const Instruction& i) {
    if (has_double_type(i)) return {12, 110, Pipe::fp64};
    if (has_float_type(i))
        return {i.has("approx") ? 3.f : 14.f, i.has("approx") ? 26.f : 60.f, Pipe::special};
    return has_64_bit_type(i) ? InstructionCost{90, 400, Pipe::divide}
                              : InstructionCost{kDivisionIssueSlots, 130, Pipe::divide};
}

/// Returns the cost of an instruction of the special function unit. Without .ftz, the code scales
/// operands that are too small for the unit, and scales the results back. Roots and reciprocals
/// with IEEE 754 rounding need a few additional multiplications that correct the result. (The
/// instructions were counted in machine code for sm_90, and the latencies were measured by
/// calibrate/issue.cu.)
InstructionCost special_function_cost(const Instruction& i) {
    if (has_double_type(i)) return {11, 90, Pipe::fp64};
    const bool is_single_instruction = i.opcode == "sin" || i.opcode == "cos" || i.opcode == "tanh";
    if (i.has("approx"))
        return i.has("ftz") || is_single_instruction ? InstructionCost{2, 20, Pipe::special}
                                                     : InstructionCost{4, 32, Pipe::special};
    return {12, 50, Pipe::special};
}

/// Returns the cost of a conversion. The special function unit converts from and to double, and
/// between integers and floating point, except from 32-bit integers to float.
InstructionCost conversion_cost(const Instruction& i) {
    const auto is_any_of = [&](std::initializer_list<const char*> types) {
        return std::any_of(types.begin(), types.end(),
                           [&](const char* type) { return i.has(type); });
    };
    const bool has_double = i.has("f64"), has_float = has_double || i.has("f32");
    const bool has_integer = is_any_of({"s8", "u8", "s16", "u16", "s32", "u32", "s64", "u64"});
    if (has_float && has_integer) {
        const bool is_to_float = result_type(i) == "s32" || result_type(i) == "u32";
        return is_to_float && !has_double ? InstructionCost{1, 5, Pipe::integer}
                                          : InstructionCost{1, 17, Pipe::special};
    }
    if (has_double) return {1, 17, Pipe::special};
    return {has_64_bit_type(i) ? 1 : .5f, 4, Pipe::integer};
}

InstructionCost move_cost(const Instruction& i) {
    // A separate unit reads special registers. ptxas removes most other moves. A move into one half
    // of a register remains, because it must preserve the other half.
    if (i.reads_special_register) return {1, 22, Pipe::any};
    const bool is_half_register =
        !i.modifiers.empty() && (i.modifiers.back() == "u16" || i.modifiers.back() == "b16");
    return is_half_register ? InstructionCost{1, 4, Pipe::integer}
                            : InstructionCost{.25f, 0, Pipe::any};
}

}  // namespace

bool is_short_branch(const Instruction& branch, std::uint32_t index) {
    return branch.target != kNoInstruction && branch.target > index &&
           branch.target - index < kMaxPredicatedInstructions;
}

/// Returns the issue slots of the instructions that a short branch skips. ptxas predicates these
/// instructions, so they are always issued. It predicates even longer code if it contains loads, so
/// that the loads can start early.
float predicated_issue_slots(const std::vector<Instruction>& instructions, std::uint32_t branch) {
    constexpr float max_slots = 7, max_slots_with_load = 12;
    float issue_slots = 0;
    bool has_load = false;
    for (std::uint32_t k = branch + 1; k < instructions[branch].target; ++k) {
        const Instruction& i = instructions[k];
        if (i.opcode.empty()) continue;
        if (i.opcode == "bra" || i.opcode == "bar") return 0;
        const bool is_global_load = i.opcode == "ld" && i.has("global");
        has_load |= is_global_load;
        issue_slots += is_global_load || i.opcode == "st" ? 1 : instruction_cost(i, k).issue_slots;
    }
    return issue_slots <= (has_load ? max_slots_with_load : max_slots) ? issue_slots : 0;
}

InstructionCost instruction_cost(const Instruction& i, std::uint32_t index) {
    const std::string_view opcode = i.opcode;
    const bool is_64_bit = has_64_bit_type(i);
    if (opcode == "ld") return {.35f, 0, Pipe::any};  // parameters become operands
    if (opcode == "cvta" || opcode.empty()) return {0, 0, Pipe::any};
    if (opcode == "mov") return move_cost(i);
    // The operation is folded into the instruction that uses the predicate.
    if (operates_on_predicates(i)) return {0, 0, Pipe::any};
    if (opcode == "bra")
        return is_short_branch(i, index) ? InstructionCost{.5f, 25, Pipe::any}
                                         : InstructionCost{1, 8, Pipe::integer};
    if (opcode == "mul" && i.has("wide")) return {.5f, 2, Pipe::multiply};
    if (opcode == "mul" && i.has("hi") && !is_64_bit) return {1, 5, Pipe::wide};
    if (opcode == "div" || opcode == "rem") return division_cost(i);
    if (has_double_type(i) &&
        (opcode == "mul" || opcode == "fma" || opcode == "add" || opcode == "sub"))
        return {1, 9, Pipe::fp64};
    if (has_float_type(i) && (opcode == "mul" || opcode == "fma" || opcode == "add"))
        return {1, 4, Pipe::any};
    if (opcode == "mul" || opcode == "mad" || opcode == "fma")
        return is_64_bit ? InstructionCost{4, 12, Pipe::multiply}
                         : InstructionCost{1, 4, Pipe::multiply};
    if (opcode == "add" && is_64_bit) return {.7f, 4, Pipe::multiply};
    if (opcode == "shl")
        return is_64_bit ? InstructionCost{2, 6, Pipe::integer}
                         : InstructionCost{.5f, 4, Pipe::integer};
    if (opcode == "cvt") return conversion_cost(i);
    if (opcode == "cp" || opcode == "fence" || opcode == "mbarrier") return {1, 4, Pipe::any};
    if (opcode == "add" || opcode == "sub") return {1, 4, is_64_bit ? Pipe::integer : Pipe::any};
    if (opcode == "shfl" || opcode == "movmatrix") return {1, 24, Pipe::any};
    // The cost of matrix instructions has not been measured. Assume one issue slot, as for
    // arithmetic, and report Unknown::tensor_cores in the prediction.
    if (opcode == "mma" || opcode == "wmma") return {1, 4, Pipe::any};
    if (opcode == "sqrt" || opcode == "rsqrt" || opcode == "rcp" || opcode == "sin" ||
        opcode == "cos" || opcode == "ex2" || opcode == "lg2" || opcode == "tanh")
        return special_function_cost(i);
    return has_double_type(i) ? InstructionCost{1, 9, Pipe::fp64}
                              : InstructionCost{1, 4, Pipe::integer};
}

}  // namespace coalesce::timing
