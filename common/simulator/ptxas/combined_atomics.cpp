#include "simulator/ptxas/combined_atomics.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/ranges.h"
#include "simulator/analysis/bit_flow.h"
#include "simulator/analysis/register_use.h"
#include "simulator/ptx/instruction_parts.h"

namespace coalesce::simulator {

using ptx::Operand;
using ptx::StateSpace;
using ptx::Type;

namespace {

/// The maximum number of instructions through which to follow a value. A value with a longer chain
/// is assumed to differ between threads.
constexpr int kMaxFollowedSteps = 12;

/// Instructions whose result is the same for all threads if their sources are the same for all
/// threads.
constexpr std::array<std::string_view, 14> kKeepsUniform = {"mov", "cvta", "cvt", "add", "sub",
                                                            "mul", "mad",  "shl", "shr", "and",
                                                            "or",  "xor",  "rem", "mapa"};

bool is_in_list(const auto& list, const auto& word) {
    return std::find(list.begin(), list.end(), word) != list.end();
}

/// Reports whether an operand or a register has the same value in all threads of a block.
class UniformValues {
public:
    explicit UniformValues(const ptx::Function& function) : function_(function) {}

    bool is_uniform_operand(const Operand& operand, int max_steps = kMaxFollowedSteps) const {
        switch (operand.kind) {
            case Operand::Kind::immediate:
            case Operand::Kind::symbol: return true;
            case Operand::Kind::special:
                return operand.name.starts_with("%ctaid") || operand.name.starts_with("%nctaid") ||
                       operand.name.starts_with("%ntid") || operand.name.starts_with("%cluster");
            case Operand::Kind::reg: return is_uniform_register(operand.reg, max_steps);
            case Operand::Kind::address:
                return !operand.has_base_register || is_uniform_register(operand.reg, max_steps);
            default: return false;
        }
    }

private:
    bool is_uniform_register(u32 reg, int max_steps) const {
        if (max_steps == 0) return false;
        const ptx::Instruction* writer = nullptr;
        for (const ptx::Instruction& i : function_.body) {
            if (!is_in_list(list_written_registers(i), reg)) continue;
            if (writer) return false;
            writer = &i;
        }
        if (!writer || writer->guard) return false;
        if (writer->opcode == "ld") return writer->has("param");
        if (!is_in_list(kKeepsUniform, writer->opcode)) return false;
        return std::all_of(
            writer->operands.begin() + 1, writer->operands.end(),
            [&](const Operand& operand) { return is_uniform_operand(operand, max_steps - 1); });
    }

    const ptx::Function& function_;
};

bool is_result_used(const ptx::Function& function, const ptx::Instruction& instruction) {
    const auto written_registers = list_written_registers(instruction);
    return any_of(function.body, [&](const ptx::Instruction& i) {
        const auto read_registers = list_read_registers(i);
        return any_of(written_registers, [&](u32 reg) { return is_in_list(read_registers, reg); });
    });
}

bool combines_by_redux(const ptx::Instruction& i) {
    constexpr std::array<std::string_view, 6> operations = {"add", "min", "max",
                                                            "and", "or",  "xor"};
    return any_of(operations, [&](std::string_view operation) { return i.has(operation); });
}

}  // namespace

CombinedLanes find_combined_lanes(const ptx::Function& function, const ptx::Instruction& i) {
    const Type type = ptx::find_type(i);
    const std::size_t address = i.opcode == "atom" ? 1 : 0;
    const u32 size = ptx::size_of(type);
    if (ptx::is_float(type) || (size != 4 && size != 8) || i.operands.size() != address + 2)
        return CombinedLanes::none;
    const Operand& value = i.operands[address + 1];
    const bool is_addition = i.has("add"), is_used = is_result_used(function, i);
    const UniformValues uniform(function);
    if (uniform.is_uniform_operand(i.operands[address])) {
        if (is_addition && uniform.is_uniform_operand(value)) return CombinedLanes::all;
        if (!is_used && size == 4 && combines_by_redux(i)) return CombinedLanes::all;
    }
    const bool may_be_counter =
        is_addition && !is_used && size == 4 && ptx::find_space(i) == StateSpace::shared;
    return may_be_counter && RegisterDefinitions(function).find_constant(value) == 1
               ? CombinedLanes::same_word
               : CombinedLanes::none;
}

}  // namespace coalesce::simulator
