#include "simulator/analysis/deciding_registers.h"

#include <set>
#include <string_view>

#include "base/ranges.h"
#include "simulator/analysis/register_use.h"
#include "simulator/code/opcodes.h"
#include "simulator/ptx/instruction_parts.h"
#include "simulator/ptx/special_registers.h"

namespace coalesce::simulator {
namespace {

using ptx::Instruction;
using ptx::Operand;

/// Returns the functions that contain an instruction for which `does` returns true, and all
/// functions that call such a function directly or indirectly. A call through a pointer always
/// counts, because its target is unknown.
std::set<std::string> find_functions_with(const ptx::Module& module,
                                          bool (*does)(const Instruction&)) {
    std::set<std::string> found;
    const auto reaches = [&](const Instruction& i) {
        if (i.opcode != "call") return does(i);
        const std::string* callee = find_callee(i);
        return !callee || found.contains(*callee);
    };
    for (bool grown = true; grown;) {
        grown = false;
        for (const auto& [name, function] : module.functions)
            if (!found.contains(name) && any_of(function->body, reaches))
                grown = found.insert(name).second;
    }
    return found;
}

class DecidingRegisterSearch {
public:
    DecidingRegisterSearch(const ptx::Module& module, const FunctionCode& code,
                           const std::vector<bool>& executed)
        : code_(code), times_(results_of_calls(module, *code.ast, reads_clock)) {
        for (std::size_t k = 0; k < code.ast->body.size(); ++k)
            if (executed[k]) executed_.push_back(&code.ast->body[k]);
        holds_clock_.resize(code.ast->registers.size());
        result_.decides.resize(code.ast->registers.size());
    }

    DecidingRegisters run() {
        find_clock_registers();
        find_deciding_registers();
        for (std::size_t r = 0; r < holds_clock_.size(); ++r)
            if (holds_clock_[r]) result_.decides[r] = false;
        return std::move(result_);
    }

private:
    std::vector<u32> roots(std::vector<u32> registers) const {
        for (u32& r : registers) r = code_.roots[r];
        return registers;
    }
    std::vector<u32> roots_except_predicates(std::vector<u32> registers) const {
        std::erase_if(registers,
                      [&](u32 r) { return code_.ast->registers[r].type == ptx::Type::pred; });
        return roots(std::move(registers));
    }

    /// Finds the registers whose values contain clock readings. A value that depends on the clock
    /// only through a predicate, such as a time-out counter, does not count.
    void find_clock_registers() {
        for (bool grown = true; grown;) {
            grown = false;
            for (const Instruction* i : executed_) {
                const bool is_time = reads_clock(*i) || loads_result(*i, times_);
                result_.reads_clock |= is_time;
                if (!only_computes(*i) && !is_time) continue;
                if (!is_time &&
                    !contains_any(holds_clock_, roots_except_predicates(registers_read(*i))))
                    continue;
                grown |= add_all_to(holds_clock_, roots_except_predicates(registers_written(*i)));
            }
        }
    }

    void find_deciding_registers() {
        for (bool grown = true; grown;) {
            grown = false;
            for (const Instruction* i : executed_) {
                const bool sleeps = i->opcode == "nanosleep";
                if (sleeps || (only_computes(*i) &&
                               !contains_any(result_.decides, roots(registers_written(*i)))))
                    continue;
                grown |= add_all_to(result_.decides, roots(registers_read(*i)));
            }
        }
    }

    const FunctionCode& code_;
    const std::set<std::string> times_;  ///< results of calls that read a clock
    std::vector<const Instruction*> executed_;
    std::vector<bool> holds_clock_;
    DecidingRegisters result_;
};

}  // namespace

bool only_computes(const ptx::Instruction& i) {
    const OpcodeEntry* opcode = find_opcode(i.opcode);
    if (!opcode) return false;
    // The carry flag passes a value to the next instruction without naming a register.
    const bool has_carry = i.has("cc") || opcode->reads_carry();
    return (opcode->group == OpcodeGroup::lanes || opcode->group == OpcodeGroup::move) &&
           !has_carry;
}

std::vector<bool> find_local_addresses(const ptx::Function& function) {
    std::vector<u32> writes(function.registers.size(), 0);
    for (const Instruction& i : function.body)
        for (u32 r : registers_written(i)) ++writes[r];
    std::vector<bool> own(function.registers.size(), false);
    for (const Instruction& i : function.body) {
        if (i.operands.size() < 2 || !i.operands[0].is_register()) continue;
        const u32 to = i.operands[0].reg;
        const Operand& from = i.operands[1];
        const bool begins = i.opcode == "cvta" && i.has("local") && !i.has("to");
        const bool goes_on =
            (i.opcode == "mov" || i.opcode == "add") && from.is_register() && own[from.reg];
        if (writes[to] == 1 && !i.guard) own[to] = begins || goes_on;
    }
    return own;
}

bool reads_changeable_memory(const ptx::Instruction& i) {
    if (i.opcode == "ld")
        return !i.has("local") && (i.has("volatile") || i.has("relaxed") || i.has("acquire"));
    return i.opcode == "atom" ||
           (i.opcode == "mbarrier" && (i.has("test_wait") || i.has("try_wait")));
}

bool reads_clock(const ptx::Instruction& i) {
    return any_of(i.operands,
                  [](const Operand& o) { return o.is_special() && ptx::is_clock(o.name); });
}

std::set<std::string> results_of_calls(const ptx::Module& module, const ptx::Function& function,
                                       bool (*does)(const ptx::Instruction&)) {
    const auto is_call = [](const Instruction& i) { return i.opcode == "call"; };
    std::set<std::string> results;
    if (none_of(function.body, is_call)) return results;
    const std::set<std::string> functions = find_functions_with(module, does);
    for (const Instruction& i : function.body) {
        if (!is_call(i) || i.operands.empty() || !i.operands[0].is_vector()) continue;
        const std::string* callee = find_callee(i);
        if (callee && !functions.contains(*callee)) continue;
        for (const Operand& result : i.operands[0].elements) results.insert(result.name);
    }
    return results;
}

bool loads_result(const ptx::Instruction& i, const std::set<std::string>& results) {
    return i.opcode == "ld" && i.has("param") && i.operands.size() == 2 &&
           results.contains(i.operands[1].name);
}

DecidingRegisters deciding_registers(const ptx::Module& module, const FunctionCode& code,
                                     const std::vector<bool>& executed) {
    return DecidingRegisterSearch(module, code, executed).run();
}

}  // namespace coalesce::simulator
