#include "program/value_classes.h"

#include <set>
#include <string_view>

#include "execute/special_registers.h"
#include "instructions/lanes.h"

namespace coalesce::sim {
namespace {

using ptx::Operand;

/// Instructions whose first operand is not a destination.
bool has_destination(const ptx::Instruction& i) {
    static const std::set<std::string_view> none = {
        "st",        "red",           "bra",      "brx",
        "ret",       "exit",          "trap",     "brkpt",
        "membar",    "fence",         "prefetch", "prefetchu",
        "nanosleep", "call",          "cp",       "griddepcontrol",
        "discard",   "applypriority", "pmevent",  "setmaxnreg",
        "stacksave", "stackrestore"};
    if (none.contains(i.opcode)) return false;
    if (i.opcode == "bar" || i.opcode == "barrier") return i.has("red");
    if (i.opcode == "mbarrier")
        return !i.has("init") && !i.has("inval") && !i.has("expect_tx") && !i.has("complete_tx");
    return true;
}

void collect(const Operand& operand, std::vector<u32>& out) {
    if (operand.kind == Operand::Kind::reg || operand.has_base_register) out.push_back(operand.reg);
    for (const Operand& element : operand.elements) collect(element, out);
}

class Classifier {
public:
    Classifier(const ptx::Module& module, const ptx::Function& function, bool in_kernel)
        : module_(module), function_(function), in_kernel_(in_kernel) {
        const std::size_t count = function.registers.size();
        result_.value_class.assign(count, ValueClass::thread);
        result_.writes.assign(count, 0);
        result_.root.resize(count);
        for (u32 r = 0; r < count; ++r) result_.root[r] = r;
        result_.pure.assign(function.body.size(), false);
        result_.is_copy.assign(function.body.size(), false);
        seen_.assign(count, false);
    }

    Registers run() {
        for (const auto& i : function_.body)
            for (u32 r : registers_written(i)) ++result_.writes[r];
        for (std::size_t at = 0; at < function_.body.size(); ++at) visit(at);
        return std::move(result_);
    }

private:
    void visit(std::size_t at) {
        const ptx::Instruction& i = function_.body[at];
        const std::vector<u32> written = registers_written(i);
        if (written.empty()) return;
        const bool once = written_once(written);
        if (once && is_copy(i)) {
            const u32 from = result_.root[i.operands[1].reg];
            result_.root[written[0]] = from;
            result_.value_class[written[0]] = result_.value_class[from];
            result_.is_copy[at] = true;
        } else if (in_kernel_ && once && !i.guard && is_pure(i)) {
            const ValueClass value_class = class_of_sources(i);
            result_.pure[at] = value_class != ValueClass::thread;
            for (u32 r : written) result_.value_class[r] = value_class;
        }
        for (u32 r : written) seen_[r] = true;
    }

    bool written_once(const std::vector<u32>& written) const {
        for (u32 r : written)
            if (result_.writes[r] != 1) return false;
        return true;
    }

    /// mov or cvta between registers of equal width whose source was written before, once.
    bool is_copy(const ptx::Instruction& i) const {
        if (i.guard || i.operands.size() != 2) return false;
        const Operand &to = i.operands[0], &from = i.operands[1];
        if (to.kind != Operand::Kind::reg || from.kind != Operand::Kind::reg) return false;
        if (!to.elements.empty() || from.negated) return false;
        const bool moves = i.opcode == "mov";
        const bool same_address = i.opcode == "cvta" && (i.has("global") || i.has("const"));
        if (!moves && !same_address) return false;
        const auto type_to = function_.registers[to.reg].type,
                   type_from = function_.registers[from.reg].type;
        if ((type_to == ptx::Type::pred) != (type_from == ptx::Type::pred)) return false;
        if (size_of(type_to) != size_of(type_from)) return false;
        return result_.writes[from.reg] == 1 && seen_[from.reg];
    }

    bool is_pure(const ptx::Instruction& i) const {
        if (i.opcode == "mov" || i.opcode == "cvta") return true;
        if (i.opcode == "ld" && i.has("param"))
            return i.operands.size() == 2 && is_kernel_parameter(i.operands[1]);
        const LaneInstruction* lane = find_lane_instruction(i.opcode, i.modifiers);
        return lane && !lane->reads_carry;
    }

    /// Constant within the launch: the parameter's name with a fixed offset.
    bool is_kernel_parameter(const Operand& address) const {
        if (address.has_base_register) return false;
        for (const ptx::Variable& p : function_.parameters)
            if (p.name == address.name) return true;
        return false;
    }

    ValueClass class_of_sources(const ptx::Instruction& i) const {
        ValueClass result = ValueClass::launch;
        for (std::size_t k = 1; k < i.operands.size(); ++k) join(result, class_of(i.operands[k]));
        return result;
    }

    ValueClass class_of(const Operand& operand) const {
        ValueClass result = ValueClass::launch;
        if (operand.kind == Operand::Kind::reg || operand.has_base_register)
            join(result,
                 seen_[operand.reg] ? result_.value_class[operand.reg] : ValueClass::thread);
        if (operand.kind == Operand::Kind::special) {
            const SpecialRegister* special = find_special_register(operand.name);
            join(result, special ? class_of_special(*special) : ValueClass::thread);
        }
        for (const Operand& element : operand.elements) join(result, class_of(element));
        return result;
    }

    static ValueClass class_of_special(const SpecialRegister& special) {
        switch (special.varies) {
            case Varies::launch: return ValueClass::launch;
            case Varies::block: return ValueClass::block;
            case Varies::thread: return ValueClass::position;
            case Varies::always: break;
        }
        return ValueClass::thread;
    }

    static void join(ValueClass& into, ValueClass other) {
        if (into == ValueClass::launch)
            into = other;
        else if (other != ValueClass::launch && other != into)
            into = ValueClass::thread;
    }

    const ptx::Module& module_;
    const ptx::Function& function_;
    const bool in_kernel_;
    Registers result_;
    std::vector<bool> seen_;  ///< written by an instruction above the current one
};

}  // namespace

std::vector<u32> registers_written(const ptx::Instruction& i) {
    std::vector<u32> written;
    if (i.operands.empty() || !has_destination(i)) return written;
    const Operand& first = i.operands[0];
    if (first.kind == Operand::Kind::reg || first.kind == Operand::Kind::vector)
        collect(first, written);
    return written;
}

std::vector<u32> registers_read(const ptx::Instruction& i) {
    std::vector<u32> read;
    if (i.guard) read.push_back(*i.guard);
    const bool skip_first =
        has_destination(i) && !i.operands.empty() && i.operands[0].kind != Operand::Kind::address;
    for (std::size_t k = skip_first ? 1 : 0; k < i.operands.size(); ++k)
        collect(i.operands[k], read);
    return read;
}

Registers classify(const ptx::Module& module, const ptx::Function& function, bool in_kernel) {
    return Classifier(module, function, in_kernel).run();
}

}  // namespace coalesce::sim
