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
using PointerSet = u64;
constexpr PointerSet kUnknownPointer = u64{1} << 63;

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
        repeat_until_stable(function_, [&](const Instruction& i) { return propagate_pointers(i); });
    }

    /// Returns the pointers through which the instruction may access memory.
    PointerSet find_access_pointers(const Instruction& i) {
        const bool address_is_first = i.opcode == "st" || i.opcode == "red" || i.opcode == "wmma";
        const std::size_t address_index = address_is_first ? 0 : 1;
        const bool is_known = (address_is_first || i.opcode == "atom" || i.opcode == "ld") &&
                              i.operands.size() > address_index;
        if (!is_known || !i.operands[address_index].is_address()) return kUnknownPointer;
        return find_pointers_of_operand(i.operands[address_index]);
    }
    WrittenMemory list_written_memory(PointerSet pointers) const {
        WrittenMemory result;
        result.may_be_anywhere = (pointers & kUnknownPointer) != 0;
        for (std::size_t k = 0; k < known_pointers_.size(); ++k) {
            if (!(pointers >> k & 1)) continue;
            if (known_pointers_[k].variable.empty())
                result.pointer_offsets.push_back(known_pointers_[k].parameter);
            else
                result.variable_names.push_back(known_pointers_[k].variable);
        }
        return result;
    }

private:
    struct Pointer {
        u32 parameter = 0;
        std::string variable;  ///< a variable's name; if it is set, `parameter` is unused
        bool operator==(const Pointer&) const = default;
    };

    PointerSet get_or_create_bit(const Pointer& pointer) {
        auto found = std::find(known_pointers_.begin(), known_pointers_.end(), pointer);
        if (found == known_pointers_.end()) {
            if (known_pointers_.size() == 63) return kUnknownPointer;
            found = known_pointers_.insert(found, pointer);
        }
        return PointerSet{1} << (found - known_pointers_.begin());
    }

    /// Returns the pointer to a named variable. Returns the empty set for variables in shared or
    /// local memory, which do not matter here.
    PointerSet find_pointers_of_name(const std::string& name) {
        const auto& variables = kernel_.module->ast->variables;
        const auto found = variables.find(name);
        const bool is_relevant =
            found != variables.end() && found->second.space != StateSpace::shared;
        return is_relevant ? get_or_create_bit({.parameter = 0, .variable = name}) : 0;
    }

    PointerSet find_pointers_of_operand(const Operand& operand) {
        switch (operand.kind) {
            case Operand::Kind::reg: return register_pointers_[operand.reg];
            case Operand::Kind::symbol: return find_pointers_of_name(operand.name);
            case Operand::Kind::address:
                if (operand.has_base_register) return register_pointers_[operand.reg];
                return operand.name.empty() ? kUnknownPointer : find_pointers_of_name(operand.name);
            case Operand::Kind::immediate:
                // A constant whose upper half is neither all zeros nor all ones could be an
                // address.
                return operand.bits >> 32 != 0 && operand.bits >> 32 != 0xffff'ffff
                           ? kUnknownPointer
                           : 0;
            case Operand::Kind::vector: {
                PointerSet used_pointers = 0;
                for (const Operand& element : operand.elements)
                    used_pointers |= find_pointers_of_operand(element);
                return used_pointers;
            }
            default: return 0;
        }
    }

    /// Reports whether the register is wide enough for an address.
    bool can_hold_address(u32 reg) const {
        return ptx::size_of(function_.registers[reg].type) == 8;
    }

    bool propagate_pointers(const Instruction& i) {
        if (i.operands.empty() || yields_plain_number(i)) return false;
        if (i.opcode == "ld" && i.has("param")) return propagate_parameter(i);
        PointerSet source_pointers = 0;
        const bool is_from_memory =
            i.opcode == "ld" || i.opcode == "ldu" || i.opcode == "atom" || i.opcode == "call";
        // For a multiply-add, only the addend can be a pointer.
        const std::size_t first_source = i.opcode == "mad" || i.opcode == "madc" ? 3 : 1;
        for (std::size_t k = first_source; k < i.operands.size() && !is_from_memory; ++k)
            source_pointers |= find_pointers_of_operand(i.operands[k]);
        // An address that is joined from two halves may be based on any pointer.
        if (i.opcode == "mov" && i.operands.size() > 1 && i.operands[1].is_vector())
            source_pointers |= kUnknownPointer;
        bool changed = false;
        for (const u32 reg : list_written_registers(i))
            changed |=
                add_pointers(reg, is_from_memory ? (can_hold_address(reg) ? kUnknownPointer : 0)
                                                 : source_pointers);
        return changed;
    }

    bool propagate_parameter(const Instruction& i) {
        const Operand& address = i.operands.at(1);
        const auto& parameters = function_.parameters;
        const auto parameter =
            std::find_if(parameters.begin(), parameters.end(),
                         [&](const ptx::Variable& v) { return v.name == address.name; });
        const bool is_known = !address.has_base_register && parameter != parameters.end();
        const auto parameter_offset =
            is_known
                ? kernel_
                      .parameter_offsets[static_cast<std::size_t>(parameter - parameters.begin())]
                : 0;
        const std::vector<u32> written_registers = list_written_registers(i);
        bool changed = false;
        for (std::size_t k = 0; k < written_registers.size(); ++k) {
            if (!can_hold_address(written_registers[k])) continue;
            const auto offset =
                static_cast<u32>(parameter_offset + address.offset + static_cast<i64>(8 * k));
            changed |=
                add_pointers(written_registers[k],
                             is_known ? get_or_create_bit({.parameter = offset, .variable = {}})
                                      : kUnknownPointer);
        }
        return changed;
    }

    bool add_pointers(u32 reg, PointerSet pointers) {
        const PointerSet previous_pointers = register_pointers_[reg];
        register_pointers_[reg] |= pointers;
        return register_pointers_[reg] != previous_pointers;
    }

    const Kernel& kernel_;
    const ptx::Function& function_;
    std::vector<PointerSet> register_pointers_;
    std::vector<Pointer> known_pointers_;  ///< the pointer that each bit stands for
};

}  // namespace

WrittenMemory find_written_memory(const Kernel& kernel) {
    PointerFlow pointer_flow(kernel);
    PointerSet used_pointers = 0;
    for (const Site& site : kernel.sites) {
        const bool is_global =
            site.space == StateSpace::global || site.space == StateSpace::generic;
        if (!is_global || !(site.is_store || site.is_atomic)) continue;
        used_pointers |=
            site.function == kernel.ast
                ? pointer_flow.find_access_pointers(site.function->body[site.instruction])
                : kUnknownPointer;
    }
    return pointer_flow.list_written_memory(used_pointers);
}

void set_pointer_offsets(Kernel& kernel) {
    PointerFlow pointer_flow(kernel);
    for (Site& site : kernel.sites) {
        if (site.space != StateSpace::global || site.function != kernel.ast) continue;
        const WrittenMemory written_targets = pointer_flow.list_written_memory(
            pointer_flow.find_access_pointers(site.function->body[site.instruction]));
        if (!written_targets.may_be_anywhere && written_targets.variable_names.empty())
            site.pointer_offsets = written_targets.pointer_offsets;
    }
}

}  // namespace coalesce::simulator
