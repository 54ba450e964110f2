#include "simulator/ptx/instruction_parts.h"

namespace coalesce::simulator::ptx {

Type find_type(const Instruction& instruction) {
    for (auto m = instruction.modifiers.rbegin(); m != instruction.modifiers.rend(); ++m)
        if (const Type type = parse_type(*m); type != Type::none) return type;
    return Type::none;
}

StateSpace find_space(const Instruction& instruction) {
    for (const std::string& m : instruction.modifiers) {
        if (m == "global") return StateSpace::global;
        if (m == "shared" || m == "shared::cta" || m == "shared::cluster")
            return StateSpace::shared;
        if (m == "local") return StateSpace::local;
        if (m == "const") return StateSpace::constant;
    }
    return StateSpace::generic;
}

StateSpace access_space(const Instruction& instruction) {
    for (const std::string& m : instruction.modifiers)
        if (m == "param" || m.starts_with("param::")) return StateSpace::param;
    return find_space(instruction);
}

u32 vector_length(const Instruction& instruction) {
    if (instruction.has("v2")) return 2;
    if (instruction.has("v4")) return 4;
    if (instruction.has("v8")) return 8;
    return 1;
}

const std::string* find_callee(const Instruction& call) {
    for (const Operand& o : call.operands) {
        if (o.is_symbol()) return &o.name;
        if (!o.is_vector()) break;
    }
    return nullptr;
}

bool is_sink(const Instruction& instruction, std::size_t operand) {
    return operand < instruction.operands.size() && instruction.operands[operand].is_sink();
}

bool is_predicate(const Instruction& instruction, const Function& function, std::size_t operand) {
    if (operand >= instruction.operands.size()) return false;
    const Operand& o = instruction.operands[operand];
    return o.is_register() && o.reg < function.registers.size() &&
           function.registers[o.reg].type == Type::pred;
}

}  // namespace coalesce::simulator::ptx
