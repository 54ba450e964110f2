#include "timing/machine.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace coalesce::timing {

namespace {

constexpr std::uint32_t kMaxPredicatedInstructions = 60;

bool is_wide(const Instruction& i) {
    if (i.modifiers.empty()) return false;
    const std::string_view type = i.modifiers.back();
    return type == "s64" || type == "u64" || type == "b64";
}

bool operates_on_predicates(const Instruction& i) {
    return !i.modifiers.empty() && i.modifiers.back() == "pred";
}

std::string_view type_of(const Instruction& i) {
    return i.modifiers.empty() ? std::string_view{} : std::string_view{i.modifiers.back()};
}

bool is_double(const Instruction& i) {
    return type_of(i) == "f64";
}

bool is_floating(const Instruction& i) {
    const std::string_view type = type_of(i);
    return type == "f32" || type == "f16x2" || type == "f16" || type == "bf16x2";
}

/// Returns the cost of a division, which consists of computing the reciprocal, computing an
/// approximate quotient, and correcting the quotient. The remainder costs extra.
Cost division_cost(const Instruction& i) {
    if (is_double(i)) return {12, 110, Pipe::fp64};
    if (is_floating(i))
        return {i.has("approx") ? 3.f : 14.f, i.has("approx") ? 26.f : 60.f, Pipe::special};
    return is_wide(i) ? Cost{90, 400, Pipe::divide} : Cost{kDivisionSlots, 130, Pipe::divide};
}

/// Returns the cost of an instruction of the special function unit. Without .ftz, the code scales
/// operands that are too small for the unit, and scales the results back. Roots and reciprocals
/// with IEEE 754 rounding need a few additional multiplications that correct the result. (The
/// instructions were counted in machine code for sm_90, and the latencies were measured by
/// calibrate/issue.cu.)
Cost special(const Instruction& i) {
    if (is_double(i)) return {11, 90, Pipe::fp64};
    const bool is_sine = i.opcode == "sin" || i.opcode == "cos" || i.opcode == "tanh";
    if (i.has("approx"))
        return i.has("ftz") || is_sine ? Cost{2, 20, Pipe::special} : Cost{4, 32, Pipe::special};
    return {12, 50, Pipe::special};
}

/// Returns the cost of a conversion. The special function unit converts from and to double, and
/// between integers and floating point, except from 32-bit integers to float.
Cost conversion_cost(const Instruction& i) {
    const auto is_any_of = [&](std::initializer_list<const char*> types) {
        return std::any_of(types.begin(), types.end(),
                           [&](const char* type) { return i.has(type); });
    };
    const bool has_double = i.has("f64"), has_float = has_double || i.has("f32");
    const bool has_integer = is_any_of({"s8", "u8", "s16", "u16", "s32", "u32", "s64", "u64"});
    if (has_float && has_integer) {
        const bool is_to_float = type_of(i) == "s32" || type_of(i) == "u32";
        return is_to_float && !has_double ? Cost{1, 5, Pipe::integer} : Cost{1, 17, Pipe::special};
    }
    if (has_double) return {1, 17, Pipe::special};
    return {is_wide(i) ? 1 : .5f, 4, Pipe::integer};
}

Cost move(const Instruction& i) {
    // A separate unit reads special registers. ptxas removes most other moves. A move into one half
    // of a register remains, because it must preserve the other half.
    if (i.reads_special) return {1, 22, Pipe::any};
    const bool half =
        !i.modifiers.empty() && (i.modifiers.back() == "u16" || i.modifiers.back() == "b16");
    return half ? Cost{1, 4, Pipe::integer} : Cost{.25f, 0, Pipe::any};
}

}  // namespace

bool is_short_branch(const Instruction& branch, std::uint32_t index) {
    return branch.target != kNoTarget && branch.target > index &&
           branch.target - index < kMaxPredicatedInstructions;
}

/// Returns the issue slots of the instructions that a short branch skips. ptxas predicates these
/// instructions, so they are always issued. It predicates even longer code if it contains loads, so
/// that the loads can start early.
float predicated_slots(const std::vector<Instruction>& instructions, std::uint32_t branch) {
    constexpr float most = 7, most_with_load = 12;
    float slots = 0;
    bool loads = false;
    for (std::uint32_t k = branch + 1; k < instructions[branch].target; ++k) {
        const Instruction& i = instructions[k];
        if (i.opcode.empty()) continue;
        if (i.opcode == "bra" || i.opcode == "bar") return 0;
        const bool is_global_load = i.opcode == "ld" && i.has("global");
        loads |= is_global_load;
        slots += is_global_load || i.opcode == "st" ? 1 : instruction_cost(i, k).slots;
    }
    return slots <= (loads ? most_with_load : most) ? slots : 0;
}

Cost instruction_cost(const Instruction& i, std::uint32_t index) {
    const std::string_view op = i.opcode;
    const bool wide = is_wide(i);
    if (op == "ld") return {.35f, 0, Pipe::any};  // parameters become operands
    if (op == "cvta") return {0, 0, Pipe::any};
    if (op == "mov") return move(i);
    // The operation is folded into the instruction that uses the predicate.
    if (operates_on_predicates(i)) return {0, 0, Pipe::any};
    if (op == "bra")
        return is_short_branch(i, index) ? Cost{.5f, 25, Pipe::any} : Cost{1, 8, Pipe::integer};
    if (op == "mul" && i.has("wide")) return {.5f, 2, Pipe::multiply};
    if (op == "mul" && i.has("hi") && !wide) return {1, 5, Pipe::wide};
    if (op == "div" || op == "rem") return division_cost(i);
    if (is_double(i) && (op == "mul" || op == "fma" || op == "add" || op == "sub"))
        return {1, 9, Pipe::fp64};
    if (is_floating(i) && (op == "mul" || op == "fma" || op == "add")) return {1, 4, Pipe::any};
    if (op == "mul" || op == "mad" || op == "fma")
        return wide ? Cost{4, 12, Pipe::multiply} : Cost{1, 4, Pipe::multiply};
    if (op == "add" && wide) return {.7f, 4, Pipe::multiply};
    if (op == "shl") return wide ? Cost{2, 6, Pipe::integer} : Cost{.5f, 4, Pipe::integer};
    if (op == "cvt") return conversion_cost(i);
    if (op == "cp" || op == "fence" || op == "mbarrier") return {1, 4, Pipe::any};
    if (op == "add" || op == "sub") return {1, 4, wide ? Pipe::integer : Pipe::any};
    if (op == "shfl" || op == "movmatrix") return {1, 24, Pipe::any};
    // The cost of matrix instructions has not been measured. Assume one issue slot, as for
    // arithmetic, and report Unknown::tensor_cores in the prediction.
    if (op == "mma" || op == "wmma") return {1, 4, Pipe::any};
    if (op == "sqrt" || op == "rsqrt" || op == "rcp" || op == "sin" || op == "cos" || op == "ex2" ||
        op == "lg2" || op == "tanh")
        return special(i);
    return is_double(i) ? Cost{1, 9, Pipe::fp64} : Cost{1, 4, Pipe::integer};
}

}  // namespace coalesce::timing
