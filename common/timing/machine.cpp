#include "timing/machine.h"

#include <string_view>

namespace coalesce::timing {

namespace {

constexpr std::uint32_t kShortBranch = 60;

bool is_wide(const Instruction& i) {
    if (i.modifiers.empty()) return false;
    const std::string_view type = i.modifiers.back();
    return type == "s64" || type == "u64" || type == "b64";
}

bool is_of_predicates(const Instruction& i) {
    return !i.modifiers.empty() && i.modifiers.back() == "pred";
}

bool is_floating(const Instruction& i) {
    if (i.modifiers.empty()) return false;
    const std::string_view type = i.modifiers.back();
    return type == "f32" || type == "f16x2" || type == "f16" || type == "bf16x2";
}

/// The reciprocal, a first guess and its correction; the remainder besides.
Cost division(const Instruction& i) {
    if (is_floating(i)) return {8, 40, Pipe::divide};
    return is_wide(i) ? Cost{90, 400, Pipe::divide} : Cost{kSlotsOfDivision, 130, Pipe::divide};
}

Cost move(const Instruction& i) {
    // Special registers are read by a unit of their own; other moves mostly disappear. Half registers are put
    // together with what the other half holds.
    if (i.reads_special) return {1, 22, Pipe::any};
    const bool half =
        !i.modifiers.empty() && (i.modifiers.back() == "u16" || i.modifiers.back() == "b16");
    return half ? Cost{1, 4, Pipe::integer} : Cost{.25f, 0, Pipe::any};
}

}  // namespace

bool skips_little(const Instruction& branch, std::uint32_t index) {
    return branch.target != kNoTarget && branch.target > index &&
           branch.target - index < kShortBranch;
}

/// ptxas makes instructions that are carried out under a condition of what a short branch jumps over: they are issued
/// all the same. Loads it wants out of branches more than stores, so that they can go ahead.
float slots_of_converted(const std::vector<Instruction>& instructions, std::uint32_t branch) {
    constexpr float most = 7, most_with_load = 12;
    float slots = 0;
    bool loads = false;
    for (std::uint32_t k = branch + 1; k < instructions[branch].target; ++k) {
        const Instruction& i = instructions[k];
        if (i.opcode.empty()) continue;
        if (i.opcode == "bra" || i.opcode == "bar") return 0;
        const bool is_global_load = i.opcode == "ld" && i.has("global");
        loads |= is_global_load;
        slots += is_global_load || i.opcode == "st" ? 1 : cost_of(i, k).slots;
    }
    return slots <= (loads ? most_with_load : most) ? slots : 0;
}

Cost cost_of(const Instruction& i, std::uint32_t index) {
    const std::string_view op = i.opcode;
    const bool wide = is_wide(i);
    if (op == "ld") return {.35f, 0, Pipe::any};  // a parameter: an operand of whoever uses it
    if (op == "cvta") return {0, 0, Pipe::any};
    if (op == "mov") return move(i);
    if (is_of_predicates(i)) return {0, 0, Pipe::any};  // folded into what uses it
    if (op == "bra")
        return skips_little(i, index) ? Cost{.5f, 25, Pipe::any} : Cost{1, 8, Pipe::integer};
    if (op == "mul" && i.has("wide")) return {.5f, 2, Pipe::multiply};
    if (op == "mul" && i.has("hi") && !wide) return {1, 5, Pipe::wide};
    if (op == "div" || op == "rem") return division(i);
    if (is_floating(i) && (op == "mul" || op == "fma" || op == "add")) return {1, 4, Pipe::any};
    if (op == "mul" || op == "mad" || op == "fma")
        return wide ? Cost{4, 12, Pipe::multiply} : Cost{1, 4, Pipe::multiply};
    if (op == "add" && wide) return {.7f, 4, Pipe::multiply};
    if (op == "shl") return wide ? Cost{2, 6, Pipe::integer} : Cost{.5f, 4, Pipe::integer};
    if (op == "cvt") return {wide ? 1 : .5f, 4, Pipe::integer};
    if (op == "cp" || op == "fence" || op == "mbarrier") return {1, 4, Pipe::any};
    if (op == "add" || op == "sub") return {1, 4, wide ? Pipe::integer : Pipe::any};
    if (op == "shfl" || op == "movmatrix") return {1, 24, Pipe::any};
    // Nobody has measured them: one issue, as of arithmetic, and Unknown::tensor_cores beside the time.
    if (op == "mma" || op == "wmma") return {1, 4, Pipe::any};
    if (op == "sqrt" || op == "rsqrt" || op == "rcp" || op == "sin" || op == "cos" || op == "ex2" ||
        op == "lg2")
        return {4, 30, Pipe::divide};
    return {1, 4, Pipe::integer};
}

}  // namespace coalesce::timing
