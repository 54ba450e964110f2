#include "simulator/analysis/written_memory.h"

#include <algorithm>
#include <set>

#include "simulator/analysis/register_use.h"

namespace coalesce::simulator {
namespace {

using ptx::Instruction;
using ptx::Operand;
using ptx::StateSpace;

/// A set of pointers on which an address may be based, with one bit per pointer. The last bit
/// stands for any other pointer.
using Pointers = u64;
constexpr Pointers kUnknown = u64{1} << 63;

/// Reports whether the result is not an address, even if a source is one.
bool yields_plain_number(const Instruction& i) {
    static const std::set<std::string> opcodes = {
        "mul", "mul24", "shl", "shr",  "shf", "div",  "rem", "setp",  "set", "popc", "clz",
        "bfe", "neg",   "not", "brev", "ex2", "sqrt", "rcp", "rsqrt", "fma", "bfind"};
    return opcodes.contains(i.opcode);
}

class PointerFlow {
public:
    explicit PointerFlow(const Kernel& kernel)
        : kernel_(kernel),
          function_(*kernel.ast),
          register_pointers_(function_.registers.size(), 0) {
        repeat_until_stable(function_, [&](const Instruction& i) { return follow(i); });
    }

    /// Returns the pointers through which the instruction may access memory.
    Pointers pointers_used_by(const Instruction& i) {
        const bool first = i.opcode == "st" || i.opcode == "red" || i.opcode == "wmma";
        const std::size_t place = first ? 0 : 1;
        const bool known =
            (first || i.opcode == "atom" || i.opcode == "ld") && i.operands.size() > place;
        if (!known || !i.operands[place].is_address()) return kUnknown;
        return pointers_of_operand(i.operands[place]);
    }
    WrittenMemory list_targets(Pointers pointers) const {
        WrittenMemory result;
        result.anywhere = (pointers & kUnknown) != 0;
        for (std::size_t k = 0; k < pointers_.size(); ++k) {
            if (!(pointers >> k & 1)) continue;
            if (pointers_[k].variable.empty())
                result.parameters.push_back(pointers_[k].parameter);
            else
                result.variables.push_back(pointers_[k].variable);
        }
        return result;
    }

private:
    struct Pointer {
        u32 parameter = 0;
        std::string variable;  ///< a variable's name; if it is set, `parameter` is unused
        bool operator==(const Pointer&) const = default;
    };

    Pointers get_or_create_bit(const Pointer& pointer) {
        auto found = std::find(pointers_.begin(), pointers_.end(), pointer);
        if (found == pointers_.end()) {
            if (pointers_.size() == 63) return kUnknown;
            found = pointers_.insert(found, pointer);
        }
        return Pointers{1} << (found - pointers_.begin());
    }

    /// Returns the pointer to a named variable. Returns the empty set for variables in shared or
    /// local memory, which do not matter here.
    Pointers pointers_of_name(const std::string& name) {
        const auto& variables = kernel_.module->ast->variables;
        const auto found = variables.find(name);
        const bool counts = found != variables.end() && found->second.space != StateSpace::shared;
        return counts ? get_or_create_bit({.parameter = 0, .variable = name}) : 0;
    }

    Pointers pointers_of_operand(const Operand& operand) {
        switch (operand.kind) {
            case Operand::Kind::reg: return register_pointers_[operand.reg];
            case Operand::Kind::symbol: return pointers_of_name(operand.name);
            case Operand::Kind::address:
                if (operand.has_base_register) return register_pointers_[operand.reg];
                return operand.name.empty() ? kUnknown : pointers_of_name(operand.name);
            case Operand::Kind::immediate:
                // A constant whose upper half is neither all zeros nor all ones could be an
                // address.
                return operand.bits >> 32 != 0 && operand.bits >> 32 != 0xffff'ffff ? kUnknown : 0;
            case Operand::Kind::vector: {
                Pointers all = 0;
                for (const Operand& element : operand.elements) all |= pointers_of_operand(element);
                return all;
            }
            default: return 0;
        }
    }

    /// Reports whether the register is wide enough for an address.
    bool is_wide(u32 reg) const { return ptx::size_of(function_.registers[reg].type) == 8; }

    bool follow(const Instruction& i) {
        if (i.operands.empty() || yields_plain_number(i)) return false;
        if (i.opcode == "ld" && i.has("param")) return follow_parameter(i);
        Pointers from = 0;
        const bool from_memory =
            i.opcode == "ld" || i.opcode == "ldu" || i.opcode == "atom" || i.opcode == "call";
        // For a multiply-add, only the addend can be a pointer.
        const std::size_t first = i.opcode == "mad" || i.opcode == "madc" ? 3 : 1;
        for (std::size_t k = first; k < i.operands.size() && !from_memory; ++k)
            from |= pointers_of_operand(i.operands[k]);
        // An address that is joined from two halves may be based on any pointer.
        if (i.opcode == "mov" && i.operands.size() > 1 && i.operands[1].is_vector())
            from |= kUnknown;
        bool changed = false;
        for (const u32 reg : registers_written(i))
            changed |= add(reg, from_memory ? (is_wide(reg) ? kUnknown : 0) : from);
        return changed;
    }

    bool follow_parameter(const Instruction& i) {
        const Operand& address = i.operands.at(1);
        const auto& parameters = function_.parameters;
        const auto list_targets =
            std::find_if(parameters.begin(), parameters.end(),
                         [&](const ptx::Variable& v) { return v.name == address.name; });
        const bool known = !address.has_base_register && list_targets != parameters.end();
        const auto start = known ? kernel_.parameter_offsets[static_cast<std::size_t>(
                                       list_targets - parameters.begin())]
                                 : 0;
        const std::vector<u32> written = registers_written(i);
        bool changed = false;
        for (std::size_t k = 0; k < written.size(); ++k) {
            if (!is_wide(written[k])) continue;
            const auto offset = static_cast<u32>(start + address.offset + static_cast<i64>(8 * k));
            changed |=
                add(written[k],
                    known ? get_or_create_bit({.parameter = offset, .variable = {}}) : kUnknown);
        }
        return changed;
    }

    bool add(u32 reg, Pointers pointers) {
        const Pointers before = register_pointers_[reg];
        register_pointers_[reg] |= pointers;
        return register_pointers_[reg] != before;
    }

    const Kernel& kernel_;
    const ptx::Function& function_;
    std::vector<Pointers> register_pointers_;
    std::vector<Pointer> pointers_;  ///< the pointer that each bit stands for
};

}  // namespace

WrittenMemory written_memory(const Kernel& kernel) {
    PointerFlow addresses(kernel);
    Pointers all = 0;
    for (const Site& site : kernel.sites) {
        const bool is_global =
            site.space == StateSpace::global || site.space == StateSpace::generic;
        if (!is_global || !(site.store || site.atomic)) continue;
        all |= site.function == kernel.ast
                   ? addresses.pointers_used_by(site.function->body[site.instruction])
                   : kUnknown;
    }
    return addresses.list_targets(all);
}

void find_pointers(Kernel& kernel) {
    PointerFlow addresses(kernel);
    for (Site& site : kernel.sites) {
        if (site.space != StateSpace::global || site.function != kernel.ast) continue;
        const WrittenMemory targets = addresses.list_targets(
            addresses.pointers_used_by(site.function->body[site.instruction]));
        if (!targets.anywhere && targets.variables.empty()) site.pointers = targets.parameters;
    }
}

}  // namespace coalesce::simulator
