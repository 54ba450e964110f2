// Removes dead code. The optimizer keeps unused inline assembly without side effects, and the loads
// of its operands. The back end of clang removes both, so these loads must not be counted as
// requests.
#include <algorithm>

#include "page/ir_to_ptx/passes.h"

namespace coalesce::translator {

namespace {

bool has_effect(const Instruction& i) {
    switch (i.op) {
        case Op::store:
        case Op::atomicrmw:
        case Op::cmpxchg:
        case Op::fence: return true;
        case Op::load: return i.has_flag(flag::is_volatile) || i.ordering > Ordering::unordered;
        case Op::call:
            if (i.callee->has_kind(Value::Kind::inline_asm))
                return static_cast<const InlineAsm*>(i.callee)->has_side_effects;
            return !called_function(i) || called_function(i)->attributes.count("speculatable") == 0;
        default: return i.ends_block();
    }
}

}  // namespace

void drop_dead_instructions(Function& function) {
    std::map<const Value*, u32> uses = count_uses(function);
    std::vector<const Instruction*> dead_instructions;
    for (const Block* block : function.blocks)
        for (const Instruction* i : block->instructions)
            if (uses[i] == 0 && !has_effect(*i)) dead_instructions.push_back(i);
    // Values that are used only by dead instructions are dead too.
    for (std::size_t k = 0; k < dead_instructions.size(); ++k) {
        for (const Value* operand : dead_instructions[k]->operands) {
            const Instruction* i = as_instruction(operand);
            if (i && --uses[i] == 0 && !has_effect(*i)) dead_instructions.push_back(i);
        }
    }
    std::sort(dead_instructions.begin(), dead_instructions.end());
    for (Block* block : function.blocks)
        std::erase_if(block->instructions, [&](const Instruction* i) {
            return std::binary_search(dead_instructions.begin(), dead_instructions.end(), i);
        });
}

}  // namespace coalesce::translator
