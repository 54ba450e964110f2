#include "examiner/ptx_rules/table_addresses.h"

#include <algorithm>
#include <tuple>

namespace coalesce {

using simulator::ptx::Instruction, simulator::ptx::Operand;

/// Returns how many times the address of a variable was added to the value of an operand, where a
/// subtraction counts as -1.
int TableAddresses::count_in(const Operand& operand) const {
    if (operand.kind == Operand::Kind::reg || operand.has_base_register) {
        const auto entry = counts_.find(operand.reg);
        return entry == counts_.end() ? 0 : entry->second;
    }
    return tables_.contains(operand.name) ? 1 : 0;
}

bool TableAddresses::is_changed_by(const Instruction& instruction) {
    const auto& [opcode, operands] = std::tie(instruction.opcode, instruction.operands);
    if (opcode != "st" && opcode != "atom" && opcode != "red") {
        track_instruction(instruction);
        return false;
    }
    return std::ranges::any_of(operands, [this](const Operand& operand) {
        return operand.kind == Operand::Kind::address && count_in(operand) == 1;
    });
}

void TableAddresses::track_instruction(const Instruction& instruction) {
    const std::string& opcode = instruction.opcode;
    const auto& operands = instruction.operands;
    if (operands.size() < 2 || operands[0].kind != Operand::Kind::reg) return;
    int count = 0;
    if (opcode == "mov" || opcode == "cvta" || opcode == "cvt") {
        count = count_in(operands[1]);
    } else if (opcode == "add" && operands.size() == 3) {
        count = count_in(operands[1]) + count_in(operands[2]);
    } else if (opcode == "sub" && operands.size() == 3) {
        count = count_in(operands[1]) - count_in(operands[2]);
    } else if (opcode == "mad" && operands.size() == 4) {
        count = count_in(operands[3]);
    } else if (opcode == "selp" && operands.size() == 4) {
        count = std::max(count_in(operands[1]), count_in(operands[2]));
    }
    if (count == 0)
        counts_.erase(operands[0].reg);
    else
        counts_[operands[0].reg] = count;
}

}  // namespace coalesce
