#include "simulator/ptxas/constant_guards.h"

#include <string>
#include <vector>

#include "simulator/analysis/register_use.h"
#include "simulator/ptx/instruction_parts.h"

namespace coalesce::simulator {
namespace {

using ptx::Instruction;
using ptx::Operand;

class ConstantPredicates {
public:
    explicit ConstantPredicates(const ptx::Function& function)
        : writers_(function.registers.size(), 0), writer_(function.registers.size(), nullptr) {
        for (const Instruction& i : function.body)
            for (u32 reg : registers_written(i)) {
                ++writers_[reg];
                writer_[reg] = &i;
            }
    }

    /// The value of a predicate that one `setp` of constants writes.
    std::optional<bool> value_of(u32 predicate) const {
        const Instruction* compares = only_writer(predicate);
        if (!compares || compares->opcode != "setp" || compares->operands.size() != 3) return {};
        const ptx::Type type = ptx::type_of(*compares);
        if (compares->modifiers.size() != 2 || ptx::is_float(type)) return {};
        const auto left = constant(compares->operands[1]), right = constant(compares->operands[2]);
        if (!left || !right || *left > kMost || *right > kMost) return {};
        return compare(compares->modifiers[0], *left, *right);
    }

private:
    /// Constants up to this one compare alike with a sign and without, in 16 bits and in more.
    static constexpr u64 kMost = 0x7fff;

    const Instruction* only_writer(u32 reg) const {
        const bool is_only = writers_[reg] == 1 && !writer_[reg]->guard;
        return is_only ? writer_[reg] : nullptr;
    }

    std::optional<u64> constant(const Operand& operand) const {
        if (operand.is_immediate()) return operand.bits;
        if (!operand.is_register() || operand.negated) return {};
        const Instruction* moves = only_writer(operand.reg);
        if (!moves || moves->opcode != "mov" || !moves->operands[1].is_immediate()) return {};
        return moves->operands[1].bits;
    }

    static std::optional<bool> compare(const std::string& how, u64 left, u64 right) {
        if (how == "eq") return left == right;
        if (how == "ne") return left != right;
        if (how == "lt" || how == "lo") return left < right;
        if (how == "le" || how == "ls") return left <= right;
        if (how == "gt" || how == "hi") return left > right;
        if (how == "ge" || how == "hs") return left >= right;
        return {};
    }

    std::vector<u32> writers_;  ///< by register: how many instructions write it
    std::vector<const Instruction*> writer_;
};

Instruction unused_label(std::size_t index) {
    Instruction label;
    label.label = "never taken@" + std::to_string(index);
    return label;
}

}  // namespace

std::optional<ptx::Function> without_constant_guards(const ptx::Function& function) {
    const ConstantPredicates predicates(function);
    std::optional<ptx::Function> changed;
    for (std::size_t at = 0; at < function.body.size(); ++at) {
        const Instruction& i = function.body[at];
        if (!i.guard) continue;
        const std::optional<bool> value = predicates.value_of(*i.guard);
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
