// Handles instructions that emit no code because other instructions have already written their
// value to registers.
#include "page/ir_to_ptx/emitter.h"

namespace coalesce::translator {

namespace {

std::vector<std::string> slice_registers(const std::vector<std::string>& registers,
                                         PartRange range) {
    const auto first = registers.begin() + static_cast<std::ptrdiff_t>(range.first);
    return {first, first + static_cast<std::ptrdiff_t>(range.count)};
}

std::vector<std::string> replace_registers(std::vector<std::string> registers, PartRange range,
                                           const std::vector<std::string>& replacement) {
    for (std::size_t i = 0; i < range.count; ++i) registers.at(range.first + i) = replacement.at(i);
    return registers;
}

u64 constant_operand(const Instruction& i, std::size_t operand) {
    i64 number = 0;
    is_number(i.operands[operand], number);
    const u64 index = static_cast<u64>(number);
    if (index >= i.operands[0]->type->count) fail(i, "an index is outside its vector");
    return index;
}

}  // namespace

std::vector<std::string> Emitter::list_renamed_registers(const Instruction& i) {
    std::vector<std::string> registers = parts(i.operands[0]);
    const Type& type = *i.operands[0]->type;
    switch (i.op) {
        case Op::extractvalue: return slice_registers(registers, select_parts(type, i.indices));
        case Op::insertvalue:
            return replace_registers(registers, select_parts(type, i.indices),
                                     parts(i.operands[1]));
        case Op::extractelement:
            return slice_registers(registers, select_parts(type, {constant_operand(i, 1)}));
        case Op::insertelement:
            return replace_registers(registers, select_parts(type, {constant_operand(i, 2)}),
                                     parts(i.operands[1]));
        case Op::shufflevector: {
            const auto second_registers = parts(i.operands[1]);
            registers.insert(registers.end(), second_registers.begin(), second_registers.end());
            const std::size_t registers_per_element = register_families(*type.element()).size();
            std::vector<std::string> selected_registers;
            for (const u64 lane : i.indices) {
                const auto from = static_cast<std::size_t>(lane == kAnyLane ? 0 : lane);
                const auto element_registers = slice_registers(
                    registers, {from * registers_per_element, registers_per_element});
                selected_registers.insert(selected_registers.end(), element_registers.begin(),
                                          element_registers.end());
            }
            return selected_registers;
        }
        case Op::bitcast:
            for (std::string& text : registers) {
                if (text.starts_with("0f") || text.starts_with("0d")) text = "0x" + text.substr(2);
            }
            return registers;
        default: registers.resize(register_families(*i.type).size()); return registers;
    }
}

}  // namespace coalesce::translator
