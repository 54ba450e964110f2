// Splits a getelementptr on a vector of pointers into one getelementptr for each pointer.
#include "page/ir_to_ptx/elements.h"
#include "page/ir_to_ptx/passes.h"

namespace coalesce::translator {

namespace {

/// Returns instructions that compute the same vector, one pointer at a time. The result of the last
/// one is the complete vector.
std::vector<Instruction*> split_pointer_vector(Module& module, const Instruction& i) {
    const Type* index = module.types.integer(32);
    std::vector<Instruction*> new_instructions;
    const auto append = [&](Op op, const Type* type, std::vector<Value*> operands) {
        new_instructions.push_back(module.instruction(op, type, std::move(operands), i));
        new_instructions.back()->parent = i.parent;
        return new_instructions.back();
    };
    Value* result_vector = module.undefined(i.type);
    for (u64 lane = 0; lane < i.type->count; ++lane) {
        Value* number = module.number(index, lane);
        std::vector<Value*> operands = i.operands;
        for (Value*& operand : operands) {
            const Type& type = *operand->type;
            if (type.has_kind(Type::Kind::vector))
                operand = append(Op::extractelement, type.element(), {operand, number});
        }
        Instruction* pointer = append(Op::getelementptr, i.type->element(), std::move(operands));
        pointer->memory_type = i.memory_type;
        pointer->flags = i.flags;
        result_vector = append(Op::insertelement, i.type, {result_vector, pointer, number});
    }
    return new_instructions;
}

}  // namespace

void split_pointer_vectors(Module& module, Function& function) {
    for (Block* block : function.blocks) {
        std::vector<Instruction*> new_block;
        for (Instruction* i : block->instructions) {
            if (i->op != Op::getelementptr || !i->type->has_kind(Type::Kind::vector)) {
                new_block.push_back(i);
                continue;
            }
            const std::vector<Instruction*> new_instructions = split_pointer_vector(module, *i);
            new_block.insert(new_block.end(), new_instructions.begin(), new_instructions.end());
            replace_uses(function, i, new_instructions.back());
        }
        block->instructions = std::move(new_block);
    }
}

}  // namespace coalesce::translator
