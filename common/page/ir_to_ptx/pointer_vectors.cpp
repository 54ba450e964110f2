// Splits a getelementptr on a vector of pointers into one getelementptr for each pointer.
#include "page/ir_to_ptx/elements.h"
#include "page/ir_to_ptx/passes.h"

namespace coalesce::translator {

namespace {

/// Returns instructions that compute the same vector, one pointer at a time. The result of the last
/// one is the complete vector.
std::vector<Instruction*> split_pointer_vector(Module& module, const Instruction& i) {
    const Type* index = module.types.integer(32);
    std::vector<Instruction*> made;
    const auto add = [&](Op op, const Type* type, std::vector<Value*> operands) {
        made.push_back(module.instruction(op, type, std::move(operands), i));
        made.back()->parent = i.parent;
        return made.back();
    };
    Value* all = module.undefined(i.type);
    for (u64 lane = 0; lane < i.type->count; ++lane) {
        Value* number = module.number(index, lane);
        std::vector<Value*> operands = i.operands;
        for (Value*& operand : operands) {
            const Type& type = *operand->type;
            if (type.has_kind(Type::Kind::vector))
                operand = add(Op::extractelement, type.element(), {operand, number});
        }
        Instruction* pointer = add(Op::getelementptr, i.type->element(), std::move(operands));
        pointer->memory_type = i.memory_type;
        pointer->flags = i.flags;
        all = add(Op::insertelement, i.type, {all, pointer, number});
    }
    return made;
}

}  // namespace

void split_pointer_vectors(Module& module, Function& function) {
    for (Block* block : function.blocks) {
        std::vector<Instruction*> all;
        for (Instruction* i : block->instructions) {
            if (i->op != Op::getelementptr || !i->type->has_kind(Type::Kind::vector)) {
                all.push_back(i);
                continue;
            }
            const std::vector<Instruction*> made = split_pointer_vector(module, *i);
            all.insert(all.end(), made.begin(), made.end());
            replace_uses(function, i, made.back());
        }
        block->instructions = std::move(all);
    }
}

}  // namespace coalesce::translator
