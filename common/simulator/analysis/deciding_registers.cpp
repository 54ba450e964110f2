#include "analysis/deciding_registers.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "analysis/register_use.h"
#include "code/opcodes.h"
#include "ptx/special_registers.h"

namespace coalesce::sim {
namespace {

using ptx::Instruction;
using ptx::Operand;

/// Who is called by name; nullptr: through a pointer.
const std::string* callee_of(const Instruction& call) {
    for (const Operand& o : call.operands) {
        if (o.kind == Operand::Kind::symbol) return &o.name;
        if (o.kind != Operand::Kind::vector) break;
    }
    return nullptr;
}

/// Of each function: is `does` true in it, or in what it calls? A pointer may lead anywhere.
std::set<std::string> functions_that(const ptx::Module& module, bool (*does)(const Instruction&)) {
    std::set<std::string> found;
    const auto reaches = [&](const Instruction& i) {
        if (i.opcode != "call") return does(i);
        const std::string* callee = callee_of(i);
        return !callee || found.contains(*callee);
    };
    for (bool grown = true; grown;) {
        grown = false;
        for (const auto& [name, function] : module.functions)
            if (!found.contains(name) &&
                std::any_of(function->body.begin(), function->body.end(), reaches))
                grown = found.insert(name).second;
    }
    return found;
}

class Search {
public:
    Search(const ptx::Module& module, const FunctionCode& code, const std::vector<bool>& executed)
        : code_(code), times_(results_of_calls(module, *code.ast, reads_clock)) {
        for (std::size_t k = 0; k < code.ast->body.size(); ++k)
            if (executed[k]) executed_.push_back(&code.ast->body[k]);
        timed_.resize(code.ast->registers.size());
        result_.decides.resize(code.ast->registers.size());
    }

    DecidingRegisters run() {
        find_timed();
        find_deciding();
        for (std::size_t r = 0; r < timed_.size(); ++r)
            if (timed_[r]) result_.decides[r] = false;
        return std::move(result_);
    }

private:
    bool is_predicate(u32 reg) const { return code_.ast->registers[reg].type == ptx::Type::pred; }
    /// True when one of them was not in the set.
    bool add_all(const std::vector<u32>& registers, std::vector<bool>& set) const {
        bool grown = false;
        for (u32 r : registers) {
            const u32 root = code_.roots[r];
            grown |= !set[root];
            set[root] = true;
        }
        return grown;
    }
    bool any_of(const std::vector<u32>& registers, const std::vector<bool>& set) const {
        return std::any_of(registers.begin(), registers.end(),
                           [&](u32 r) { return set[code_.roots[r]]; });
    }

    /// Numbers with time in them. What a predicate chooses has none: a count of time-outs is a
    /// count.
    void find_timed() {
        for (bool grown = true; grown;) {
            grown = false;
            for (const Instruction* i : executed_) {
                const bool is_time = reads_clock(*i) || loads_result(*i, times_);
                result_.reads_clock |= is_time;
                if (!only_computes(*i) && !is_time) continue;
                std::vector<u32> read = registers_read(*i), written = registers_written(*i);
                const auto predicate = [&](u32 r) { return is_predicate(r); };
                std::erase_if(read, predicate);
                std::erase_if(written, predicate);
                if (!is_time && !any_of(read, timed_)) continue;
                grown |= add_all(written, timed_);
            }
        }
    }

    void find_deciding() {
        for (bool grown = true; grown;) {
            grown = false;
            for (const Instruction* i : executed_) {
                const bool sleeps = i->opcode == "nanosleep";
                if (sleeps ||
                    (only_computes(*i) && !any_of(registers_written(*i), result_.decides)))
                    continue;
                grown |= add_all(registers_read(*i), result_.decides);
            }
        }
    }

    const FunctionCode& code_;
    const std::set<std::string> times_;  ///< results of calls that read a clock
    std::vector<const Instruction*> executed_;
    std::vector<bool> timed_;
    DecidingRegisters result_;
};

}  // namespace

bool only_computes(const ptx::Instruction& i) {
    const OpcodeEntry* opcode = find_opcode(i.opcode);
    if (!opcode) return false;
    // A carry goes from one to the next without a register's name.
    const bool has_carry = i.has("cc") || opcode->reads_carry();
    return (opcode->group == OpcodeGroup::lanes || opcode->group == OpcodeGroup::move) &&
           !has_carry;
}

std::vector<bool> own_addresses(const ptx::Function& function) {
    std::vector<u32> writes(function.registers.size(), 0);
    for (const Instruction& i : function.body)
        for (u32 r : registers_written(i)) ++writes[r];
    std::vector<bool> own(function.registers.size(), false);
    for (const Instruction& i : function.body) {
        if (i.operands.size() < 2 || i.operands[0].kind != Operand::Kind::reg) continue;
        const u32 to = i.operands[0].reg;
        const Operand& from = i.operands[1];
        const bool begins = i.opcode == "cvta" && i.has("local") && !i.has("to");
        const bool goes_on = (i.opcode == "mov" || i.opcode == "add") &&
                             from.kind == Operand::Kind::reg && own[from.reg];
        if (writes[to] == 1 && !i.guard) own[to] = begins || goes_on;
    }
    return own;
}

bool asks_memory(const ptx::Instruction& i) {
    if (i.opcode == "ld")
        return !i.has("local") && (i.has("volatile") || i.has("relaxed") || i.has("acquire"));
    return i.opcode == "atom" ||
           (i.opcode == "mbarrier" && (i.has("test_wait") || i.has("try_wait")));
}

bool reads_clock(const ptx::Instruction& i) {
    return std::any_of(i.operands.begin(), i.operands.end(), [](const Operand& o) {
        if (o.kind != Operand::Kind::special) return false;
        return ptx::is_clock(o.name);
    });
}

std::set<std::string> results_of_calls(const ptx::Module& module, const ptx::Function& function,
                                       bool (*does)(const ptx::Instruction&)) {
    const auto is_call = [](const Instruction& i) { return i.opcode == "call"; };
    std::set<std::string> results;
    if (std::none_of(function.body.begin(), function.body.end(), is_call)) return results;
    const std::set<std::string> functions = functions_that(module, does);
    for (const Instruction& i : function.body) {
        if (!is_call(i) || i.operands.empty() || i.operands[0].kind != Operand::Kind::vector)
            continue;
        const std::string* callee = callee_of(i);
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
    return Search(module, code, executed).run();
}

}  // namespace coalesce::sim
