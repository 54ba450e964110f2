// Handles instructions that emit no code because other instructions have already written their
// value to registers.
#include "page/ir_to_ptx/emitter.h"

namespace coalesce::translator {

namespace {

std::vector<std::string> slice(const std::vector<std::string>& all, PartRange range) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(range.first);
    return {first, first + static_cast<std::ptrdiff_t>(range.count)};
}

std::vector<std::string> replaced(std::vector<std::string> all, PartRange range,
                                  const std::vector<std::string>& with) {
    for (std::size_t i = 0; i < range.count; ++i) all.at(range.first + i) = with.at(i);
    return all;
}

u64 constant_operand(const Instruction& i, std::size_t operand) {
    i64 number = 0;
    is_number(i.operands[operand], number);
    const u64 index = static_cast<u64>(number);
    if (index >= i.operands[0]->type->count) fail(i, "an index is outside its vector");
    return index;
}

}  // namespace

std::vector<std::string> Emitter::renamed(const Instruction& i) {
    std::vector<std::string> all = parts(i.operands[0]);
    const Type& type = *i.operands[0]->type;
    switch (i.op) {
        case Op::extractvalue: return slice(all, select_parts(type, i.indices));
        case Op::insertvalue:
            return replaced(all, select_parts(type, i.indices), parts(i.operands[1]));
        case Op::extractelement: return slice(all, select_parts(type, {constant_operand(i, 1)}));
        case Op::insertelement:
            return replaced(all, select_parts(type, {constant_operand(i, 2)}),
                            parts(i.operands[1]));
        case Op::shufflevector: {
            const auto second = parts(i.operands[1]);
            all.insert(all.end(), second.begin(), second.end());
            const std::size_t each = register_families(*type.element()).size();
            std::vector<std::string> chosen;
            for (const u64 lane : i.indices) {
                const auto from = static_cast<std::size_t>(lane == kAnyLane ? 0 : lane);
                const auto some = slice(all, {from * each, each});
                chosen.insert(chosen.end(), some.begin(), some.end());
            }
            return chosen;
        }
        case Op::bitcast:
            for (std::string& text : all) {
                if (text.starts_with("0f") || text.starts_with("0d")) text = "0x" + text.substr(2);
            }
            return all;
        default: all.resize(register_families(*i.type).size()); return all;
    }
}

}  // namespace coalesce::translator
