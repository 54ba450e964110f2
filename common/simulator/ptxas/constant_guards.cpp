#include "simulator/ptxas/constant_guards.h"

#include <string>

#include "simulator/analysis/bit_flow.h"
#include "simulator/ptx/instruction_parts.h"

namespace coalesce::simulator {
namespace {

using ptx::Instruction;

/// The largest constant for which comparisons are evaluated. For constants up to this one, signed
/// and unsigned comparisons of all widths have the same result.
constexpr u64 kMaxComparedConstant = 0x7fff;

std::optional<bool> compare(const std::string& how, u64 left, u64 right) {
    if (how == "eq") return left == right;
    if (how == "ne") return left != right;
    if (how == "lt" || how == "lo") return left < right;
    if (how == "le" || how == "ls") return left <= right;
    if (how == "gt" || how == "hi") return left > right;
    if (how == "ge" || how == "hs") return left >= right;
    return {};
}

/// Returns the value of a predicate if its only writer is a `setp` that compares constants.
std::optional<bool> constant_predicate(const Definitions& definitions, u32 predicate) {
    const u32 at = definitions.only_writer(predicate);
    if (at == kNone) return {};
    const Instruction& i = definitions.function().body[at];
    if (i.opcode != "setp" || i.operands.size() != 3 || i.modifiers.size() != 2 ||
        ptx::is_float(ptx::type_of(i)))
        return {};
    const auto left = definitions.constant(i.operands[1]);
    const auto right = definitions.constant(i.operands[2]);
    if (!left || !right || *left > kMaxComparedConstant || *right > kMaxComparedConstant) return {};
    return compare(i.modifiers[0], *left, *right);
}

Instruction unused_label(std::size_t index) {
    Instruction label;
    label.label = "never taken@" + std::to_string(index);
    return label;
}

}  // namespace

std::optional<ptx::Function> remove_constant_guards(const ptx::Function& function) {
    const Definitions definitions(function);
    std::optional<ptx::Function> changed;
    for (std::size_t at = 0; at < function.body.size(); ++at) {
        const Instruction& i = function.body[at];
        if (!i.guard) continue;
        const std::optional<bool> value = constant_predicate(definitions, *i.guard);
        if (!value) continue;
        if (!changed) changed = function;
        if (*value != i.guard_negated)
            changed->body[at].guard.reset();
        else
            changed->body[at] = unused_label(at);
    }
    return changed;
}

}  // namespace coalesce::simulator
