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
    std::vector<bool> written;
    /// Registers that are written only if a guard has a certain value, as (register, guard, whether
    /// the guard is negated).
    std::set<std::tuple<u32, u32, bool>> conditionally_written;

    /// Keeps only the facts that `other` also contains. Returns true if a fact was removed.
    bool intersect(const WrittenRegisters& other) {
        bool changed = false;
        for (std::size_t r = 0; r < written.size(); ++r)
            if (written[r] && !other.written[r]) {
                written[r] = false;
                changed = true;
            }
        changed |= std::erase_if(conditionally_written, [&](const auto& fact) {
                       return !other.conditionally_written.contains(fact) &&
                              !other.written[std::get<0>(fact)];
                   }) > 0;
        return changed;
    }
};

void add_registers(const ptx::Operand& operand, std::vector<u32>& registers) {
    if (operand.kind == ptx::Operand::Kind::reg || operand.has_base_register)
        registers.push_back(operand.reg);
    for (const ptx::Operand& element : operand.elements) add_registers(element, registers);
}

struct DefinednessAnalysis {
    const ptx::Function& function;

    static bool is_last_of_block(const ptx::Instruction& i) {
        static const std::set<std::string> ends = {"bra", "brx", "ret", "exit", "trap"};
        return !i.guard && ends.contains(i.opcode);
    }

    std::vector<u32> written(const ptx::Instruction& i) const {
        std::vector<u32> registers = simulator::list_written_registers(i);
        if (!i.operands.empty() && registers.empty()) {
            // `_|%p` discards the first result and writes only the second.
            const bool second_alone = i.operands[0].kind == ptx::Operand::Kind::sink;
            const bool gives_state = i.opcode == "mbarrier" && i.has("arrive");
            if (second_alone || gives_state) add_registers(i.operands[0], registers);
        }
        return registers;
    }

    std::vector<u32> read(const ptx::Instruction& i) const {
        std::vector<u32> registers = simulator::list_read_registers(i);
        if (i.opcode == "mbarrier" && i.has("arrive"))
            for (u32 r : written(i)) std::erase(registers, r);
        return registers;
    }

    void step(const ptx::Instruction& i, WrittenRegisters& known) const {
        for (u32 r : written(i)) {
            // A write to `r` invalidates every fact whose guard is `r`.
            std::erase_if(known.conditionally_written,
                          [&](const auto& fact) { return std::get<1>(fact) == r; });
            const bool opposite =
                i.guard && known.conditionally_written.contains({r, *i.guard, !i.guard_negated});
            if (!i.guard || opposite)
                known.written[r] = true;
            else if (r != *i.guard)
                known.conditionally_written.insert({r, *i.guard, i.guard_negated});
        }
    }

    bool may_read(const ptx::Instruction& i, u32 r, const WrittenRegisters& known) const {
        if (known.written[r]) return true;
        return i.guard && r != *i.guard &&
               known.conditionally_written.contains({r, *i.guard, i.guard_negated});
    }

    /// Reports whether the instruction's line ends in `// late`. The generator marks a line this
    /// way if its sources are certain to be written before it is executed.
    static bool is_late(const ptx::Module& module, const ptx::Instruction& i) {
        const std::size_t end = i.text_offset + i.text_length;
        return module.text.substr(end, module.text.find('\n', end) - end).find("// late") !=
               std::string::npos;
    }

    std::string check(const ptx::Module& module) const {
        const std::size_t count = function.body.size();
        std::vector<WrittenRegisters> at(count);
        std::vector<bool> reached(count, false);
        if (count == 0) return "";
        at[0].written.assign(function.registers.size(), false);
        reached[0] = true;
        std::vector<u32> work = {0};
        const auto arrive = [&](u32 to, const WrittenRegisters& known) {
            if (to >= count) return;
            if (!reached[to]) {
                reached[to] = true;
                at[to] = known;
                work.push_back(to);
            } else if (at[to].intersect(known)) {
                work.push_back(to);
            }
        };
        while (!work.empty()) {
            const u32 now = work.back();
            work.pop_back();
            const ptx::Instruction& i = function.body[now];
            WrittenRegisters known = at[now];
            step(i, known);
            for (u32 to : simulator::branch_targets(function, i)) arrive(to, known);
            if (!is_last_of_block(i)) arrive(now + 1, known);
        }
        for (u32 now = 0; now < count; ++now) {
            if (!reached[now] || is_late(module, function.body[now])) continue;
            for (u32 r : read(function.body[now]))
                if (!may_read(function.body[now], r, at[now]))
                    return function.registers[r].name +
                           " is read, but not written on every path to `" +
                           std::string(module.find_text(function.body[now])) + "` in " +
                           function.name;
        }
        return "";
    }
};

}  // namespace

std::string find_undefined_read(const std::string& text) {
    try {
        const auto module = ptx::parse(text);
        for (const auto& [name, function] : module->functions) {
            if (!function->has_body) continue;
            const std::string problem = DefinednessAnalysis{*function}.check(*module);
            if (!problem.empty()) return problem;
        }
        return "";
    } catch (const ptx::ParseError& error) {
        return error.what();
    }
}

}  // namespace coalesce::campaign
