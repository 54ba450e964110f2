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

std::optional<bool> evaluate_comparison(const std::string& comparison_operator, u64 left,
                                        u64 right) {
    if (comparison_operator == "eq") return left == right;
    if (comparison_operator == "ne") return left != right;
    if (comparison_operator == "lt" || comparison_operator == "lo") return left < right;
    if (comparison_operator == "le" || comparison_operator == "ls") return left <= right;
    if (comparison_operator == "gt" || comparison_operator == "hi") return left > right;
    if (comparison_operator == "ge" || comparison_operator == "hs") return left >= right;
    return {};
}

/// Returns the value of a predicate if its only writer is a `setp` that compares constants.
std::optional<bool> constant_predicate(const RegisterDefinitions& definitions, u32 predicate) {
    const u32 writer_index = definitions.only_writer(predicate);
    if (writer_index == kNone) return {};
    const Instruction& i = definitions.analyzed_function().body[writer_index];
    if (i.opcode != "setp" || i.operands.size() != 3 || i.modifiers.size() != 2 ||
        ptx::is_float(ptx::find_type(i)))
        return {};
    const auto left = definitions.find_constant(i.operands[1]);
    const auto right = definitions.find_constant(i.operands[2]);
    if (!left || !right || *left > kMaxComparedConstant || *right > kMaxComparedConstant) return {};
    return evaluate_comparison(i.modifiers[0], *left, *right);
}

Instruction unused_label(std::size_t index) {
    Instruction label;
    label.label = "never taken@" + std::to_string(index);
    return label;
}

}  // namespace

std::optional<ptx::Function> remove_constant_guards(const ptx::Function& function) {
    const RegisterDefinitions definitions(function);
    std::optional<ptx::Function> changed_function;
    for (std::size_t instruction_index = 0; instruction_index < function.body.size();
         ++instruction_index) {
        const Instruction& i = function.body[instruction_index];
        if (!i.guard) continue;
        const std::optional<bool> guard_value = constant_predicate(definitions, *i.guard);
        if (!guard_value) continue;
        if (!changed_function) changed_function = function;
        if (*guard_value != i.is_guard_negated)
            changed_function->body[instruction_index].guard.reset();
        else
            changed_function->body[instruction_index] = unused_label(instruction_index);
    }
    return changed_function;
}

}  // namespace coalesce::simulator
