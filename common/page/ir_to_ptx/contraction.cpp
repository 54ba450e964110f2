// Contracts a multiplication and an addition into one fma, which rounds only once. nvcc and clang's
// back end do the same, and the results are bit-identical.
//
// Idea   a * b + c becomes fma(a, b, c), and a * b - c becomes fma(a, b, -c). If both terms are
//        products, the one with fewer uses is contracted. A product is contracted only if it is in
//        the same block. The pass processes a block from its end to its beginning, because this
//        order determines how many uses of a product remain.
// Watch  Every bit of a result depends on these rules. tests/random_kernels checks them.
#include <algorithm>
#include <map>

#include "page/ir_to_ptx/passes.h"

namespace coalesce::translator {

namespace {

bool is_arithmetic(const Instruction& i) {
    return i.op == Op::fadd || i.op == Op::fsub || i.op == Op::fmul || i.op == Op::fneg;
}

Instruction* find_in_block(const Block& block, Value* value, Op op) {
    Instruction* i = as_instruction(value);
    return i && i->parent == &block && i->op == op ? i : nullptr;
}

// ---- vectors ----

/// Returns an element of a vector. The element is either the value that was inserted into the
/// vector, or a new extraction.
Value* extract_element(Module& module, Value* vector, u64 lane, const Instruction& source,
                       std::vector<Instruction*>& new_instructions) {
    Value* from = vector;
    for (Instruction* i = as_instruction(from); i && i->op == Op::insertelement;
         i = as_instruction(from)) {
        i64 inserted_lane = 0;
        if (!is_number(i->operands[2], inserted_lane)) break;
        if (static_cast<u64>(inserted_lane) == lane) return i->operands[1];
        from = i->operands[0];
    }
    const Type* index = module.types.integer(32);
    Instruction* extraction = module.instruction(Op::extractelement, vector->type->element(),
                                                 {vector, module.number(index, lane)}, source);
    new_instructions.push_back(extraction);
    return extraction;
}

/// Splits arithmetic on vectors into operations on elements, so that each can be contracted.
void split_vectors(Module& module, Function& function) {
    for (Block* block : function.blocks) {
        std::vector<Instruction*> new_instructions;
        for (Instruction* i : block->instructions) {
            if (!is_arithmetic(*i) || !i->type->has_kind(Type::Kind::vector)) {
                new_instructions.push_back(i);
                continue;
            }
            Value* result_vector = module.undefined(i->type);
            for (u64 lane = 0; lane < i->type->count; ++lane) {
                std::vector<Value*> operands;
                for (Value* operand : i->operands)
                    operands.push_back(
                        extract_element(module, operand, lane, *i, new_instructions));
                Instruction* scalar = module.instruction(i->op, i->type->element(), operands, *i);
                scalar->flags = i->flags;
                const Type* index = module.types.integer(32);
                Instruction* insertion =
                    module.instruction(Op::insertelement, i->type,
                                       {result_vector, scalar, module.number(index, lane)}, *i);
                new_instructions.insert(new_instructions.end(), {scalar, insertion});
                result_vector = insertion;
            }
            replace_uses(function, i, result_vector);
            for (Instruction* new_instruction : new_instructions)
                std::replace(new_instruction->operands.begin(), new_instruction->operands.end(),
                             static_cast<Value*>(i), result_vector);
        }
        block->instructions = std::move(new_instructions);
    }
    // If a vector was built element by element, use its elements directly.
    for (Block* block : function.blocks) {
        for (Instruction* i : block->instructions) {
            i64 lane = 0;
            if (i->op != Op::extractelement || !is_number(i->operands[1], lane)) continue;
            std::vector<Instruction*> no_instructions;
            Value* known_element = extract_element(module, i->operands[0], static_cast<u64>(lane),
                                                   *i, no_instructions);
            if (no_instructions.empty()) replace_uses(function, i, known_element);
        }
    }
}

// ---- contraction ----

class BlockContraction {
public:
    BlockContraction(Module& module, Function& function, Block& block)
        : module_(module), function_(function), block_(block) {
        count_uses();
    }

    void run() {
        for (std::size_t position = block_.instructions.size(); position-- > 0;) {
            Instruction* i = block_.instructions[position];
            if (i->type->is_floating() && (i->op == Op::fadd || i->op == Op::fsub))
                position = contract_multiply_adds(position, *i);
        }
        std::erase_if(block_.instructions,
                      [&](Instruction* i) { return is_arithmetic(*i) && use_counts_[i] == 0; });
    }

private:
    /// Counts the uses of each value. Any number of uses in other blocks counts as one use.
    void count_uses() {
        std::map<const Value*, bool> is_used_outside;
        for (const Block* block : function_.blocks) {
            for (const Instruction* i : block->instructions) {
                for (const Value* operand : i->operands) {
                    if (block == &block_ && i->op != Op::phi)
                        ++use_counts_[operand];
                    else
                        is_used_outside[operand] = true;
                }
            }
        }
        for (const auto& [value, outside] : is_used_outside) ++use_counts_[value];
    }

    void remove_use(Value* value) {
        if (--use_counts_[value] != 0) return;
        Instruction* i = as_instruction(value);
        if (!i || i->parent != &block_ || !is_arithmetic(*i)) return;
        for (Value* operand : i->operands) remove_use(operand);
    }

    /// Returns -value. Appends the instructions that compute it to `new_instructions`.
    Value* emit_negation(Value* value, const Instruction& source,
                         std::vector<Instruction*>& new_instructions) {
        if (Instruction* i = as_instruction(value); i && i->op == Op::fneg) return i->operands[0];
        if (value->has_kind(Value::Kind::number)) {
            const Type& type = *value->type;
            const u32 width = type.has_kind(Type::Kind::real)     ? 64
                              : type.has_kind(Type::Kind::single) ? 32
                                                                  : 16;
            return module_.number(value->type,
                                  static_cast<Constant*>(value)->bits ^ u64{1} << (width - 1));
        }
        Instruction* negation = module_.instruction(Op::fneg, value->type, {value}, source);
        new_instructions.push_back(negation);
        return negation;
    }

    /// Replaces `sum`, which has the product x * y as an operand, with fma(±x, y, ±addend). Returns
    /// the position of the first new instruction.
    std::size_t fuse(std::size_t position, Instruction& sum, Instruction& product, Value* addend,
                     bool negates_product, bool negates_addend) {
        std::vector<Instruction*> new_instructions;
        Value* multiplicand = product.operands[0];
        if (negates_product) multiplicand = emit_negation(multiplicand, sum, new_instructions);
        if (negates_addend) addend = emit_negation(addend, sum, new_instructions);
        Instruction* fma = module_.instruction(Op::call, sum.type,
                                               {multiplicand, product.operands[1], addend}, sum);
        fma->flags = sum.flags;
        fma->callee = declare_fma(*sum.type);
        fma->function_type = static_cast<Function*>(fma->callee)->function_type;
        new_instructions.push_back(fma);
        for (const Instruction* i : new_instructions)
            for (Value* operand : i->operands) ++use_counts_[operand];
        use_counts_[fma] = use_counts_[&sum];
        for (Value* operand : sum.operands) remove_use(operand);
        replace_uses(function_, &sum, fma);
        block_.instructions.erase(block_.instructions.begin() +
                                  static_cast<std::ptrdiff_t>(position));
        block_.instructions.insert(
            block_.instructions.begin() + static_cast<std::ptrdiff_t>(position),
            new_instructions.begin(), new_instructions.end());
        return position;
    }

    std::size_t contract_multiply_adds(std::size_t position, Instruction& sum) {
        const bool is_difference = sum.op == Op::fsub;
        Value *left = sum.operands[0], *right = sum.operands[1];
        Instruction* product = find_in_block(block_, left, Op::fmul);
        Instruction* other_product = find_in_block(block_, right, Op::fmul);
        // If both operands are products, contract the one with fewer uses. If both have the same
        // number of uses, contract the left one.
        if (product && other_product && use_counts_[product] > use_counts_[other_product])
            product = nullptr;
        if (product) return fuse(position, sum, *product, right, false, is_difference);
        if (other_product) return fuse(position, sum, *other_product, left, is_difference, false);
        // Contract -(x * y) ± c and c ± -(x * y).
        if (Instruction* negation = find_in_block(block_, left, Op::fneg)) {
            if ((product = find_in_block(block_, negation->operands[0], Op::fmul)))
                return fuse(position, sum, *product, right, true, is_difference);
        }
        if (Instruction* negation = find_in_block(block_, right, Op::fneg)) {
            if ((product = find_in_block(block_, negation->operands[0], Op::fmul)))
                return fuse(position, sum, *product, left, !is_difference, false);
        }
        return position;
    }

    Function* declare_fma(const Type& type) {
        const char* name = type.has_kind(Type::Kind::real)     ? "llvm.fma.f64"
                           : type.has_kind(Type::Kind::single) ? "llvm.fma.f32"
                           : type.has_kind(Type::Kind::half)   ? "llvm.fma.f16"
                                                               : "llvm.fma.bf16";
        Function* function =
            module_.make<Function>(Value::Kind::function, module_.types.pointer(), name);
        function->function_type = module_.types.function(&type, {&type, &type, &type}, false);
        for (const char* attribute : {"nounwind", "willreturn", "speculatable"})
            function->attributes[attribute] = "";
        return function;
    }

    Module& module_;
    Function& function_;
    Block& block_;
    std::map<const Value*, u32> use_counts_;
};

}  // namespace

void contract_multiply_adds(Module& module, Function& function) {
    split_vectors(module, function);
    for (Block* block : function.blocks) BlockContraction(module, function, *block).run();
}

}  // namespace coalesce::translator
