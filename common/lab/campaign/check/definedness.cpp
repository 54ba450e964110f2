#include "lab/campaign/check/definedness.h"

#include <set>
#include <tuple>
#include <vector>

#include "simulator/analysis/control_flow.h"
#include "simulator/analysis/register_use.h"
#include "simulator/ptx/parser.h"

namespace coalesce::campaign {
namespace {

namespace ptx = simulator::ptx;
using simulator::u32;

/// The registers that are certain to have been written before a given instruction of the program.
struct WrittenRegisters {
    std::vector<bool> is_written;
    /// Registers that are written only if a guard has a certain value, as (register, guard, whether
    /// the guard is negated).
    std::set<std::tuple<u32, u32, bool>> conditionally_written;

    /// Keeps only the facts that `other_registers` also contains. Returns true if a fact was
    /// removed.
    bool keep_common_facts(const WrittenRegisters& other_registers) {
        bool has_removed_fact = false;
        for (std::size_t r = 0; r < is_written.size(); ++r)
            if (is_written[r] && !other_registers.is_written[r]) {
                is_written[r] = false;
                has_removed_fact = true;
            }
        has_removed_fact |= std::erase_if(conditionally_written, [&](const auto& fact) {
                                return !other_registers.conditionally_written.contains(fact) &&
                                       !other_registers.is_written[std::get<0>(fact)];
                            }) > 0;
        return has_removed_fact;
    }
};

void append_operand_registers(const ptx::Operand& operand, std::vector<u32>& registers) {
    if (operand.kind == ptx::Operand::Kind::reg || operand.has_base_register)
        registers.push_back(operand.reg);
    for (const ptx::Operand& element : operand.elements)
        append_operand_registers(element, registers);
}

struct DefinednessAnalysis {
    const ptx::Function& function;

    static bool is_last_of_block(const ptx::Instruction& i) {
        static const std::set<std::string> block_ending_opcodes = {"bra", "brx", "ret", "exit",
                                                                   "trap"};
        return !i.guard && block_ending_opcodes.contains(i.opcode);
    }

    std::vector<u32> list_written_registers(const ptx::Instruction& i) const {
        std::vector<u32> registers = simulator::list_written_registers(i);
        if (!i.operands.empty() && registers.empty()) {
            // `_|%p` discards the first result and writes only the second.
            const bool discards_first_result = i.operands[0].kind == ptx::Operand::Kind::sink;
            const bool writes_barrier_state = i.opcode == "mbarrier" && i.has("arrive");
            if (discards_first_result || writes_barrier_state)
                append_operand_registers(i.operands[0], registers);
        }
        return registers;
    }

    std::vector<u32> list_read_registers(const ptx::Instruction& i) const {
        std::vector<u32> registers = simulator::list_read_registers(i);
        if (i.opcode == "mbarrier" && i.has("arrive"))
            for (u32 r : list_written_registers(i)) std::erase(registers, r);
        return registers;
    }

    void step(const ptx::Instruction& i, WrittenRegisters& written_registers) const {
        for (u32 r : list_written_registers(i)) {
            // A write to `r` invalidates every fact whose guard is `r`.
            std::erase_if(written_registers.conditionally_written,
                          [&](const auto& fact) { return std::get<1>(fact) == r; });
            const bool is_written_under_opposite_guard =
                i.guard && written_registers.conditionally_written.contains(
                               {r, *i.guard, !i.is_guard_negated});
            if (!i.guard || is_written_under_opposite_guard)
                written_registers.is_written[r] = true;
            else if (r != *i.guard)
                written_registers.conditionally_written.insert({r, *i.guard, i.is_guard_negated});
        }
    }

    bool is_certainly_written(const ptx::Instruction& i, u32 r,
                              const WrittenRegisters& written_registers) const {
        if (written_registers.is_written[r]) return true;
        return i.guard && r != *i.guard &&
               written_registers.conditionally_written.contains({r, *i.guard, i.is_guard_negated});
    }

    /// Reports whether the instruction's line ends in `// late`. The generator marks a line this
    /// way if its sources are certain to be written before it is executed.
    static bool is_marked_late(const ptx::Module& module, const ptx::Instruction& i) {
        const std::size_t end = i.text_offset + i.text_length;
        return module.text.substr(end, module.text.find('\n', end) - end).find("// late") !=
               std::string::npos;
    }

    std::string describe_undefined_read(const ptx::Module& module) const {
        const std::size_t count = function.body.size();
        std::vector<WrittenRegisters> written_before(count);
        std::vector<bool> is_reached(count, false);
        if (count == 0) return "";
        written_before[0].is_written.assign(function.registers.size(), false);
        is_reached[0] = true;
        std::vector<u32> pending_instructions = {0};
        const auto propagate_to = [&](u32 target, const WrittenRegisters& written_registers) {
            if (target >= count) return;
            if (!is_reached[target]) {
                is_reached[target] = true;
                written_before[target] = written_registers;
                pending_instructions.push_back(target);
            } else if (written_before[target].keep_common_facts(written_registers)) {
                pending_instructions.push_back(target);
            }
        };
        while (!pending_instructions.empty()) {
            const u32 instruction_index = pending_instructions.back();
            pending_instructions.pop_back();
            const ptx::Instruction& i = function.body[instruction_index];
            WrittenRegisters written_registers = written_before[instruction_index];
            step(i, written_registers);
            for (u32 target_index : simulator::branch_targets(function, i))
                propagate_to(target_index, written_registers);
            if (!is_last_of_block(i)) propagate_to(instruction_index + 1, written_registers);
        }
        for (u32 instruction_index = 0; instruction_index < count; ++instruction_index) {
            if (!is_reached[instruction_index] ||
                is_marked_late(module, function.body[instruction_index]))
                continue;
            for (u32 r : list_read_registers(function.body[instruction_index]))
                if (!is_certainly_written(function.body[instruction_index], r,
                                          written_before[instruction_index]))
                    return function.registers[r].name +
                           " is read, but not written on every path to `" +
                           std::string(module.find_text(function.body[instruction_index])) +
                           "` in " + function.name;
        }
        return "";
    }
};

}  // namespace

std::string find_undefined_read(const std::string& ptx) {
    try {
        const auto module = ptx::parse(ptx);
        for (const auto& [name, function] : module->functions) {
            if (!function->has_body) continue;
            const std::string problem =
                DefinednessAnalysis{*function}.describe_undefined_read(*module);
            if (!problem.empty()) return problem;
        }
        return "";
    } catch (const ptx::ParseError& error) {
        return error.what();
    }
}

}  // namespace coalesce::campaign
