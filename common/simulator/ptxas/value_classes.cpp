#include "simulator/ptxas/value_classes.h"

#include <algorithm>
#include <map>

#include "base/ranges.h"
#include "simulator/analysis/register_use.h"
#include "simulator/execute/special_registers.h"
#include "simulator/instructions/lanes.h"

namespace coalesce::simulator {
namespace {

using ptx::Operand;

class ValueClassifier {
public:
    ValueClassifier(const ptx::Function& function, bool in_kernel,
                    const std::map<std::string, u32>* of_block)
        : function_(function),
          in_kernel_(in_kernel),
          of_block_(of_block),
          result_(make_separate_registers(function)) {
        writes_.assign(function.registers.size(), 0);
        is_written_earlier_.assign(function.registers.size(), false);
    }

    Registers run(const Liveness& liveness) {
        for (const auto& i : function_.body)
            for (u32 r : registers_written(i)) ++writes_[r];
        for (std::size_t at = 0; at < function_.body.size(); ++at) visit(at);
        keep_copies_of_changing_sources(liveness);
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
            const ValueClass value_class = combine_source_classes(i);
            result_.pure[at] = value_class != ValueClass::thread;
            for (u32 r : written) result_.value_class[r] = value_class;
        }
        for (u32 r : written) is_written_earlier_[r] = true;
    }

    bool written_once(const std::vector<u32>& written) const {
        return all_of(written, [&](u32 r) { return writes_[r] == 1; });
    }

    /// Reports whether the instruction is a mov or cvta between registers of equal width. Exactly
    /// one instruction may write its source, and must precede it in the text.
    bool is_copy(const ptx::Instruction& i) const {
        if (i.guard || i.operands.size() != 2) return false;
        const Operand &to = i.operands[0], &from = i.operands[1];
        if (!to.is_register() || !from.is_register()) return false;
        if (!to.elements.empty() || from.negated) return false;
        const bool moves = i.opcode == "mov";
        const bool same_address = i.opcode == "cvta" && (i.has("global") || i.has("const"));
        if (!moves && !same_address) return false;
        const auto type_to = function_.registers[to.reg].type,
                   type_from = function_.registers[from.reg].type;
        if ((type_to == ptx::Type::pred) != (type_from == ptx::Type::pred)) return false;
        if (size_of(type_to) != size_of(type_from)) return false;
        return writes_[from.reg] == 1 && is_written_earlier_[from.reg];
    }

    /// Stops treating an instruction as a copy if its source may change while the copy is still
    /// needed. A copy can share the name of its source only as long as both have the same value.
    /// Only one instruction writes the source, but in a loop, it may run again while a copy of the
    /// previous value is still needed. Values that a prologue computes never change, so their
    /// copies are always safe.
    void keep_copies_of_changing_sources(const Liveness& liveness) {
        std::map<u32, std::vector<u32>> copies;  // maps each root to its copies
        for (u32 at = 0; at < function_.body.size(); ++at) {
            if (!result_.is_copy[at]) continue;
            const u32 root = result_.root[function_.body[at].operands[0].reg];
            if (result_.value_class[root] == ValueClass::thread) copies[root].push_back(at);
        }
        for (u32 at = 0; at < function_.body.size() && !copies.empty(); ++at) {
            for (u32 r : registers_written(function_.body[at])) {
                const auto found = copies.find(r);
                if (found == copies.end() || !is_copy_needed_after(at, found->second, liveness))
                    continue;
                for (u32 copy : found->second) {
                    const u32 to = function_.body[copy].operands[0].reg;
                    result_.is_copy[copy] = false;
                    result_.root[to] = to;
                }
            }
        }
    }

    /// Reports whether a copy is still needed after the instruction at `at` writes its source
    /// again.
    bool is_copy_needed_after(u32 at, const std::vector<u32>& copies,
                              const Liveness& liveness) const {
        std::vector<u32> names;
        for (u32 copy : copies) names.push_back(function_.body[copy].operands[0].reg);
        const std::vector<u32> read = registers_read(function_.body[at]);
        return std::find_first_of(read.begin(), read.end(), names.begin(), names.end()) !=
                   read.end() ||
               !liveness.live_after(at, names).empty();
    }

    bool is_pure(const ptx::Instruction& i) const {
        if (i.opcode == "mov" || i.opcode == "cvta") return true;
        if (i.opcode == "ld" && i.has("param"))
            return i.operands.size() == 2 && is_kernel_parameter(i.operands[1]);
        const LaneInstruction* lane = find_lane_instruction(i.opcode, i.modifiers);
        return lane && !lane->reads_carry;
    }

    /// Reports whether the address is a kernel parameter with a fixed offset. The value at such an
    /// address is constant during the launch.
    bool is_kernel_parameter(const Operand& address) const {
        const auto is_named = [&](const ptx::Variable& p) { return p.name == address.name; };
        return !address.has_base_register && any_of(function_.parameters, is_named);
    }

    ValueClass combine_source_classes(const ptx::Instruction& i) const {
        ValueClass result = ValueClass::launch;
        // A generic address of local memory depends on the index of the thread.
        if (i.opcode == "cvta" && i.has("local") && !i.has("to")) result = ValueClass::position;
        for (std::size_t k = 1; k < i.operands.size(); ++k) join(result, find_class(i.operands[k]));
        return result;
    }

    ValueClass find_class(const Operand& operand) const {
        ValueClass result = ValueClass::launch;
        if (operand.is_register() || operand.has_base_register)
            join(result, is_written_earlier_[operand.reg] ? result_.value_class[operand.reg]
                                                          : ValueClass::thread);
        if (operand.is_special()) {
            const SpecialRegister* special = find_special_register(operand.name);
            join(result, special ? class_of_special(*special) : ValueClass::thread);
        }
        if (of_block_ && of_block_->contains(operand.name)) join(result, ValueClass::block);
        for (const Operand& element : operand.elements) join(result, find_class(element));
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

    const ptx::Function& function_;
    const bool in_kernel_;
    const std::map<std::string, u32>* const of_block_;
    Registers result_;
    std::vector<u32> writes_;  ///< for each register, the number of instructions that write it
    std::vector<bool> is_written_earlier_;  ///< true if an earlier instruction writes the register
};

void replace_by_root(Operand& operand, const std::vector<u32>& root) {
    if (operand.is_register() || operand.has_base_register) operand.reg = root[operand.reg];
    for (Operand& element : operand.elements) replace_by_root(element, root);
}

}  // namespace

Registers make_separate_registers(const ptx::Function& function) {
    Registers result;
    const std::size_t count = function.registers.size();
    result.value_class.assign(count, ValueClass::thread);
    result.root.resize(count);
    for (u32 r = 0; r < count; ++r) result.root[r] = r;
    result.pure.assign(function.body.size(), false);
    result.is_copy.assign(function.body.size(), false);
    return result;
}

Registers classify(const ptx::Function& function, bool in_kernel, const Liveness& liveness,
                   const std::map<std::string, u32>* of_block) {
    return ValueClassifier(function, in_kernel, of_block).run(liveness);
}

ptx::Function replace_registers_by_roots(const ptx::Function& function,
                                         const Registers& registers) {
    ptx::Function renamed = function;
    for (ptx::Instruction& i : renamed.body) {
        if (i.guard) i.guard = registers.root[*i.guard];
        for (Operand& operand : i.operands) replace_by_root(operand, registers.root);
    }
    return renamed;
}

}  // namespace coalesce::simulator
