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
    ValueClassifier(const ptx::Function& function, bool is_kernel,
                    const std::map<std::string, u32>* block_offsets)
        : function_(function),
          is_kernel_(is_kernel),
          block_offsets_(block_offsets),
          result_(make_separate_registers(function)) {
        write_counts_.assign(function.registers.size(), 0);
        is_written_earlier_.assign(function.registers.size(), false);
    }

    Registers classify_all(const Liveness& liveness) {
        for (const auto& i : function_.body)
            for (u32 r : list_written_registers(i)) ++write_counts_[r];
        for (std::size_t instruction_index = 0; instruction_index < function_.body.size();
             ++instruction_index)
            visit_instruction(instruction_index);
        keep_copies_of_changing_sources(liveness);
        return std::move(result_);
    }

private:
    void visit_instruction(std::size_t instruction_index) {
        const ptx::Instruction& i = function_.body[instruction_index];
        const std::vector<u32> written_registers = list_written_registers(i);
        if (written_registers.empty()) return;
        const bool is_written_once = is_only_writer(written_registers);
        if (is_written_once && is_copy(i)) {
            const u32 source_root = result_.root[i.operands[1].reg];
            result_.root[written_registers[0]] = source_root;
            result_.value_class[written_registers[0]] = result_.value_class[source_root];
            result_.is_copy[instruction_index] = true;
        } else if (is_kernel_ && is_written_once && !i.guard && is_pure(i)) {
            const ValueClass value_class = combine_source_classes(i);
            result_.is_pure[instruction_index] = value_class != ValueClass::thread;
            for (u32 r : written_registers) result_.value_class[r] = value_class;
        }
        for (u32 r : written_registers) is_written_earlier_[r] = true;
    }

    bool is_only_writer(const std::vector<u32>& written_registers) const {
        return all_of(written_registers, [&](u32 r) { return write_counts_[r] == 1; });
    }

    /// Reports whether the instruction is a mov or cvta between registers of equal width. Exactly
    /// one instruction may write its source, and must precede it in the text.
    bool is_copy(const ptx::Instruction& i) const {
        if (i.guard || i.operands.size() != 2) return false;
        const Operand &destination = i.operands[0], &from = i.operands[1];
        if (!destination.is_register() || !from.is_register()) return false;
        if (!destination.elements.empty() || from.is_negated) return false;
        const bool is_move = i.opcode == "mov";
        const bool is_same_address = i.opcode == "cvta" && (i.has("global") || i.has("const"));
        if (!is_move && !is_same_address) return false;
        const auto type_to = function_.registers[destination.reg].type,
                   type_from = function_.registers[from.reg].type;
        if ((type_to == ptx::Type::pred) != (type_from == ptx::Type::pred)) return false;
        if (size_of(type_to) != size_of(type_from)) return false;
        return write_counts_[from.reg] == 1 && is_written_earlier_[from.reg];
    }

    /// Stops treating an instruction as a copy if its source may change while the copy is still
    /// needed. A copy can share the name of its source only as long as both have the same value.
    /// Only one instruction writes the source, but in a loop, it may run again while a copy of the
    /// previous value is still needed. Values that a prologue computes never change, so their
    /// copies are always safe.
    void keep_copies_of_changing_sources(const Liveness& liveness) {
        std::map<u32, std::vector<u32>> copies;  // maps each root to its copies
        for (u32 instruction_index = 0; instruction_index < function_.body.size();
             ++instruction_index) {
            if (!result_.is_copy[instruction_index]) continue;
            const u32 root = result_.root[function_.body[instruction_index].operands[0].reg];
            if (result_.value_class[root] == ValueClass::thread)
                copies[root].push_back(instruction_index);
        }
        for (u32 instruction_index = 0;
             instruction_index < function_.body.size() && !copies.empty(); ++instruction_index) {
            for (u32 r : list_written_registers(function_.body[instruction_index])) {
                const auto copy_entry = copies.find(r);
                if (copy_entry == copies.end() ||
                    !is_copy_needed_after(instruction_index, copy_entry->second, liveness))
                    continue;
                for (u32 copy : copy_entry->second) {
                    const u32 to = function_.body[copy].operands[0].reg;
                    result_.is_copy[copy] = false;
                    result_.root[to] = to;
                }
            }
        }
    }

    /// Reports whether a copy is still needed after the instruction at `instruction_index` writes
    /// its source again.
    bool is_copy_needed_after(u32 instruction_index, const std::vector<u32>& copies,
                              const Liveness& liveness) const {
        std::vector<u32> names;
        for (u32 copy : copies) names.push_back(function_.body[copy].operands[0].reg);
        const std::vector<u32> read_registers_before =
            list_read_registers(function_.body[instruction_index]);
        return std::find_first_of(read_registers_before.begin(), read_registers_before.end(),
                                  names.begin(), names.end()) != read_registers_before.end() ||
               !liveness.live_after(instruction_index, names).empty();
    }

    bool is_pure(const ptx::Instruction& i) const {
        if (i.opcode == "mov" || i.opcode == "cvta") return true;
        if (i.opcode == "ld" && i.has("param"))
            return i.operands.size() == 2 && is_kernel_parameter(i.operands[1]);
        const LaneInstruction* lane_instruction = find_lane_instruction(i.opcode, i.modifiers);
        return lane_instruction && !lane_instruction->uses_carry;
    }

    /// Reports whether the address is a kernel parameter with a fixed offset. The value at such an
    /// address is constant during the launch.
    bool is_kernel_parameter(const Operand& address) const {
        const auto has_same_name = [&](const ptx::Variable& p) { return p.name == address.name; };
        return !address.has_base_register && any_of(function_.parameters, has_same_name);
    }

    ValueClass combine_source_classes(const ptx::Instruction& i) const {
        ValueClass result = ValueClass::launch;
        // A generic address of local memory depends on the index of the thread.
        if (i.opcode == "cvta" && i.has("local") && !i.has("to"))
            result = ValueClass::warp_position;
        for (std::size_t k = 1; k < i.operands.size(); ++k)
            join_class(result, find_class(i.operands[k]));
        return result;
    }

    ValueClass find_class(const Operand& operand) const {
        ValueClass result = ValueClass::launch;
        if (operand.is_register() || operand.has_base_register)
            join_class(result, is_written_earlier_[operand.reg] ? result_.value_class[operand.reg]
                                                                : ValueClass::thread);
        if (operand.is_special()) {
            const SpecialRegister* special_register = find_special_register(operand.name);
            join_class(result, special_register ? find_special_class(*special_register)
                                                : ValueClass::thread);
        }
        if (block_offsets_ && block_offsets_->contains(operand.name))
            join_class(result, ValueClass::block);
        for (const Operand& element : operand.elements) join_class(result, find_class(element));
        return result;
    }

    static ValueClass find_special_class(const SpecialRegister& special_register) {
        switch (special_register.scope) {
            case ValueScope::launch: return ValueClass::launch;
            case ValueScope::block: return ValueClass::block;
            case ValueScope::thread: return ValueClass::warp_position;
            case ValueScope::every_read: break;
        }
        return ValueClass::thread;
    }

    static void join_class(ValueClass& target, ValueClass other) {
        if (target == ValueClass::launch)
            target = other;
        else if (other != ValueClass::launch && other != target)
            target = ValueClass::thread;
    }

    const ptx::Function& function_;
    const bool is_kernel_;
    const std::map<std::string, u32>* const block_offsets_;
    Registers result_;
    /// For each register, the number of instructions that write it.
    std::vector<u32> write_counts_;
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
    result.is_pure.assign(function.body.size(), false);
    result.is_copy.assign(function.body.size(), false);
    return result;
}

Registers classify_registers(const ptx::Function& function, bool is_kernel,
                             const Liveness& liveness,
                             const std::map<std::string, u32>* block_offsets) {
    return ValueClassifier(function, is_kernel, block_offsets).classify_all(liveness);
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
