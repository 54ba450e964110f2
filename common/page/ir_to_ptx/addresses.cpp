// Splits a getelementptr into steps: base + index * scale + ... + bytes. Each step is a
// getelementptr over i8. Terms that several addresses share are computed only once. The constant
// bytes remain a separate step, which loads and stores fold into [register+bytes].
//
// The NVPTX back end does the same in its passes SeparateConstOffsetFromGEP and EarlyCSE. With this
// pass, a kernel therefore needs about as many instructions and registers as with the back end.
#include <algorithm>
#include <map>
#include <tuple>

#include "page/ir_to_ptx/flow.h"
#include "page/ir_to_ptx/layout.h"
#include "page/ir_to_ptx/passes.h"

namespace coalesce::translator {

namespace {

constexpr i64 kMaxOffsetBytes = 0x7FFFFFFF;  ///< the limit for [register+offset]

class AddressSplitter {
public:
    AddressSplitter(Module& module, Function& function)
        : module_(module), function_(function), dominators_(function) {}

    void run() {
        for (Block* block : dominators_.order()) {
            block_ = block;
            for (std::size_t k = 0; k < block->instructions.size(); ++k) {
                Instruction& i = *block->instructions[k];
                for (Value*& operand : i.operands) operand = find_replacement(operand);
                if (i.op == Op::getelementptr) k = split_address(i, k);
            }
        }
        for (Block* block : function_.blocks) {
            for (Instruction* i : block->instructions) {
                for (Value*& operand : i->operands) operand = find_replacement(operand);
            }
        }
    }

private:
    using Key = std::tuple<Op, const Type*, const Value*, const Value*, i64>;

    Value* find_replacement(Value* value) const {
        const auto replacement = replacements_.find(value);
        return replacement == replacements_.end() ? value : replacement->second;
    }
    std::size_t split_address(Instruction& getelementptr, std::size_t position);
    Value* split_off_constant(Value* index, i64& constant, bool may_wrap);
    Value* scale_index(const AddressTerms::Term& term);
    Value* reuse_or_insert(Op op, const Type* type, Value* a, Value* b, i64 number);
    Value* add_to_address(const Type* type, Value* base, Value* bytes);
    Value* add_to_address(const Type* type, Value* base, i64 bytes);

    Module& module_;
    Function& function_;
    Dominators dominators_;
    std::map<Value*, Value*> replacements_;
    std::map<Key, std::vector<Instruction*>> inserted_instructions_;
    Block* block_ = nullptr;
    /// The instructions to insert before the getelementptr that is being split.
    std::vector<Instruction*> instructions_before_;
    const Instruction* current_instruction_ = nullptr;
};

/// Returns an earlier instruction that performs the same operation and dominates the current
/// position. If there is none, inserts and returns a new instruction.
Value* AddressSplitter::reuse_or_insert(Op op, const Type* type, Value* a, Value* b, i64 number) {
    std::vector<Instruction*>& same_instructions = inserted_instructions_[{op, type, a, b, number}];
    for (Instruction* candidate : same_instructions) {
        if (dominators_.dominates(candidate->parent, block_)) return candidate;
    }
    std::vector<Value*> operands = {a};
    if (op != Op::sext && op != Op::zext) {
        operands.push_back(b ? b
                             : module_.number(module_.types.integer(64), static_cast<u64>(number)));
    }
    Instruction* inserted_instruction =
        module_.instruction(op, type, std::move(operands), *current_instruction_);
    if (op == Op::getelementptr) inserted_instruction->memory_type = module_.types.integer(8);
    inserted_instruction->parent = block_;
    instructions_before_.push_back(inserted_instruction);
    same_instructions.push_back(inserted_instruction);
    return inserted_instruction;
}

Value* AddressSplitter::add_to_address(const Type* type, Value* base, Value* bytes) {
    return reuse_or_insert(Op::getelementptr, type, base, bytes, 0);
}

Value* AddressSplitter::add_to_address(const Type* type, Value* base, i64 bytes) {
    return bytes == 0 ? base : reuse_or_insert(Op::getelementptr, type, base, nullptr, bytes);
}

/// Adds the constant part of the index to `constant`, and returns the rest of the index. Splits the
/// index only if it cannot overflow: sext(x + 8) equals sext(x) + 8 only if x + 8 does not
/// overflow.
Value* AddressSplitter::split_off_constant(Value* index, i64& constant, bool may_wrap) {
    const Instruction* i = as_instruction(index);
    i64 number = 0;
    if (!i) return index;
    if (i->op == Op::sext || i->op == Op::zext) {
        const Instruction* inner = as_instruction(i->operands[0]);
        if (!inner ||
            !is_number(inner->operands.size() == 2 ? inner->operands[1] : inner, number)) {
            return index;
        }
        const u32 needed_flag = i->op == Op::sext ? flag::nsw : flag::nuw;
        const bool is_sum = (inner->op == Op::add && inner->has_flag(needed_flag)) ||
                            (inner->op == Op::or_ && inner->has_flag(flag::disjoint));
        if (!is_sum || (i->op == Op::zext && number < 0)) return index;
        constant += number;
        return reuse_or_insert(i->op, i->type, inner->operands[0], nullptr, 0);
    }
    const bool is_sum =
        (i->op == Op::add && may_wrap) || (i->op == Op::or_ && i->has_flag(flag::disjoint));
    if (is_sum && is_number(i->operands[1], number)) {
        constant += number;
        return split_off_constant(i->operands[0], constant, may_wrap);
    }
    return index;
}

Value* AddressSplitter::scale_index(const AddressTerms::Term& term) {
    const Type* wide_type = module_.types.integer(64);
    Value* index = term.index;
    if (!index->type->is_integer(64)) {
        const Op op = index->type->bits < 64 ? Op::sext : Op::trunc;
        index = reuse_or_insert(op, wide_type, index, nullptr, 0);
    }
    if (term.scale == 1) return index;
    return reuse_or_insert(Op::mul, wide_type, index, nullptr, static_cast<i64>(term.scale));
}

std::size_t AddressSplitter::split_address(Instruction& i, std::size_t position) {
    current_instruction_ = &i;
    instructions_before_.clear();
    AddressTerms steps = address_terms(i);
    // If the base was also split into steps, add its constant bytes to the offset.
    for (Instruction* base = as_instruction(steps.base); base && base->op == Op::getelementptr;
         base = as_instruction(steps.base)) {
        i64 number = 0;
        if (!is_number(base->operands[1], number)) break;
        steps.offset += number;
        steps.base = base->operands[0];
    }
    Value* pointer = steps.base;
    std::vector<AddressTerms::Term> terms = steps.terms;
    for (AddressTerms::Term& term : terms) {
        i64 constant = 0;
        term.index = split_off_constant(term.index, constant, term.index->type->is_integer(64));
        steps.offset += static_cast<i64>(static_cast<u64>(constant) * term.scale);
    }
    // Add the constant bytes last, as a single offset, so that an address in a variable is the
    // variable's address plus a constant.
    for (const AddressTerms::Term& term : terms)
        pointer = add_to_address(i.type, pointer, scale_index(term));
    const bool fits_in_offset = steps.offset <= kMaxOffsetBytes && steps.offset >= -kMaxOffsetBytes;
    if (fits_in_offset) {
        pointer = add_to_address(i.type, pointer, steps.offset);
    } else {
        pointer = reuse_or_insert(
            Op::getelementptr, i.type, pointer,
            module_.number(module_.types.integer(64), static_cast<u64>(steps.offset)), 0);
    }
    replacements_[&i] = pointer;
    auto& block_instructions = block_->instructions;
    block_instructions.erase(block_instructions.begin() + static_cast<std::ptrdiff_t>(position));
    block_instructions.insert(block_instructions.begin() + static_cast<std::ptrdiff_t>(position),
                              instructions_before_.begin(), instructions_before_.end());
    return position + instructions_before_.size() - 1;
}

/// Removes instructions that are no longer used, such as sign extensions.
void drop_unused_instructions(Function& function) {
    for (bool is_changed = true; is_changed;) {
        is_changed = false;
        const auto uses = count_uses(function);
        for (Block* block : function.blocks) {
            const auto dropped_count =
                std::erase_if(block->instructions, [&](const Instruction* i) {
                    const bool is_pure = i->op <= Op::shufflevector || i->op == Op::getelementptr ||
                                         i->op == Op::alloca || i->op == Op::phi;
                    return is_pure && !uses.count(i);
                });
            is_changed |= dropped_count > 0;
        }
    }
}

}  // namespace

void split_addresses(Module& module, Function& function) {
    AddressSplitter(module, function).run();
    drop_unused_instructions(function);
}

}  // namespace coalesce::translator
