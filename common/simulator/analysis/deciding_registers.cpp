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

/// Returns the functions that contain an instruction for which `has_property` returns true, and all
/// functions that call such a function directly or indirectly. A call through a pointer always
/// counts, because its target is unknown.
std::set<std::string> find_functions_with(const ptx::Module& module,
                                          bool (*has_property)(const Instruction&)) {
    std::set<std::string> function_names;
    const auto may_execute = [&](const Instruction& i) {
        if (i.opcode != "call") return has_property(i);
        const std::string* callee = find_callee(i);
        return !callee || function_names.contains(*callee);
    };
    for (bool has_grown = true; has_grown;) {
        has_grown = false;
        for (const auto& [name, function] : module.functions)
            if (!function_names.contains(name) && any_of(function->body, may_execute))
                has_grown = function_names.insert(name).second;
    }
    return function_names;
}

class DecidingRegisterSearch {
public:
    DecidingRegisterSearch(const ptx::Module& module, const FunctionCode& code,
                           const std::vector<bool>& is_executed)
        : code_(code), clock_call_results_(find_call_results(module, *code.ast, reads_clock)) {
        for (std::size_t k = 0; k < code.ast->body.size(); ++k)
            if (is_executed[k]) executed_instructions_.push_back(&code.ast->body[k]);
        holds_clock_.resize(code.ast->registers.size());
        result_.is_deciding.resize(code.ast->registers.size());
    }

    DecidingRegisters find() {
        find_clock_registers();
        find_deciding_registers();
        for (std::size_t r = 0; r < holds_clock_.size(); ++r)
            if (holds_clock_[r]) result_.is_deciding[r] = false;
        return std::move(result_);
    }

private:
    std::vector<u32> find_roots(std::vector<u32> registers) const {
        for (u32& r : registers) r = code_.roots[r];
        return registers;
    }
    std::vector<u32> find_non_predicate_roots(std::vector<u32> registers) const {
        std::erase_if(registers,
                      [&](u32 r) { return code_.ast->registers[r].type == ptx::Type::pred; });
        return find_roots(std::move(registers));
    }

    /// Finds the registers whose values contain clock readings. A value that depends on the clock
    /// only through a predicate, such as a time-out counter, does not count.
    void find_clock_registers() {
        for (bool has_grown = true; has_grown;) {
            has_grown = false;
            for (const Instruction* i : executed_instructions_) {
                const bool is_clock_read =
                    reads_clock(*i) || loads_call_result(*i, clock_call_results_);
                result_.contains_clock_read |= is_clock_read;
                if (!has_no_side_effects(*i) && !is_clock_read) continue;
                if (!is_clock_read &&
                    !contains_any_register(holds_clock_,
                                           find_non_predicate_roots(list_read_registers(*i))))
                    continue;
                has_grown |= add_registers(holds_clock_,
                                           find_non_predicate_roots(list_written_registers(*i)));
            }
        }
    }

    void find_deciding_registers() {
        for (bool has_grown = true; has_grown;) {
            has_grown = false;
            for (const Instruction* i : executed_instructions_) {
                const bool is_sleep = i->opcode == "nanosleep";
                if (is_sleep || (has_no_side_effects(*i) &&
                                 !contains_any_register(result_.is_deciding,
                                                        find_roots(list_written_registers(*i)))))
                    continue;
                has_grown |=
                    add_registers(result_.is_deciding, find_roots(list_read_registers(*i)));
            }
        }
    }

    const FunctionCode& code_;
    const std::set<std::string> clock_call_results_;  ///< results of calls that read a clock
    std::vector<const Instruction*> executed_instructions_;
    std::vector<bool> holds_clock_;
    DecidingRegisters result_;
};

}  // namespace

bool has_no_side_effects(const ptx::Instruction& i) {
    const OpcodeEntry* opcode = find_opcode(i.opcode);
    if (!opcode) return false;
    // The carry flag passes a value to the next instruction without naming a register.
    const bool has_carry = i.has("cc") || opcode->reads_carry();
    return (opcode->group == OpcodeGroup::lanes || opcode->group == OpcodeGroup::move) &&
           !has_carry;
}

std::vector<bool> find_local_addresses(const ptx::Function& function) {
    std::vector<u32> write_counts(function.registers.size(), 0);
    for (const Instruction& i : function.body)
        for (u32 r : list_written_registers(i)) ++write_counts[r];
    std::vector<bool> is_local_address(function.registers.size(), false);
    for (const Instruction& i : function.body) {
        if (i.operands.size() < 2 || !i.operands[0].is_register()) continue;
        const u32 to_register = i.operands[0].reg;
        const Operand& source_operand = i.operands[1];
        const bool is_local_conversion = i.opcode == "cvta" && i.has("local") && !i.has("to");
        const bool is_derived = (i.opcode == "mov" || i.opcode == "add") &&
                                source_operand.is_register() &&
                                is_local_address[source_operand.reg];
        if (write_counts[to_register] == 1 && !i.guard)
            is_local_address[to_register] = is_local_conversion || is_derived;
    }
    return is_local_address;
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

std::set<std::string> find_call_results(const ptx::Module& module, const ptx::Function& function,
                                        bool (*has_property)(const ptx::Instruction&)) {
    const auto is_call = [](const Instruction& i) { return i.opcode == "call"; };
    std::set<std::string> result_names;
    if (none_of(function.body, is_call)) return result_names;
    const std::set<std::string> function_names = find_functions_with(module, has_property);
    for (const Instruction& i : function.body) {
        if (!is_call(i) || i.operands.empty() || !i.operands[0].is_vector()) continue;
        const std::string* callee = find_callee(i);
        if (callee && !function_names.contains(*callee)) continue;
        for (const Operand& result : i.operands[0].elements) result_names.insert(result.name);
    }
    return result_names;
}

bool loads_call_result(const ptx::Instruction& i, const std::set<std::string>& result_names) {
    return i.opcode == "ld" && i.has("param") && i.operands.size() == 2 &&
           result_names.contains(i.operands[1].name);
}

DecidingRegisters find_deciding_registers(const ptx::Module& module, const FunctionCode& code,
                                          const std::vector<bool>& is_executed) {
    return DecidingRegisterSearch(module, code, is_executed).find();
}

}  // namespace coalesce::simulator
