// Functions that query and modify the IR.
#include "page/ir_to_ptx/ir.h"

#include <algorithm>

#include "page/ir_to_ptx/translate.h"

namespace coalesce::translator {

namespace {

constexpr std::string_view kOpNames[] = {
#define COALESCE_OP(name, form, emit) #name,
    COALESCE_TRANSLATOR_INSTRUCTIONS(COALESCE_OP)
#undef COALESCE_OP
};

}  // namespace

std::string_view name_of(Op op) {
    std::string_view name = kOpNames[static_cast<std::size_t>(op)];
    if (name.back() == '_') name.remove_suffix(1);
    return name;
}

Op operation_named(std::string_view word) {
    for (u32 i = 0; i < static_cast<u32>(Op::count); ++i) {
        if (name_of(static_cast<Op>(i)) == word) return static_cast<Op>(i);
    }
    return Op::count;
}

bool Module::has_debug_variables() const {
    return std::any_of(functions.begin(), functions.end(),
                       [](const Function* function) { return !function->debug_variables.empty(); });
}

Constant* Module::number(const Type* type, u64 bits) {
    auto* constant = make<Constant>(Value::Kind::number, type);
    constant->bits = bits;
    return constant;
}

Constant* Module::undefined(const Type* type) {
    return make<Constant>(Value::Kind::undefined, type);
}

Instruction* Module::instruction(Op op, const Type* type, std::vector<Value*> operands,
                                 const Instruction& source) {
    auto* new_instruction = make<Instruction>(Value::Kind::instruction, type);
    new_instruction->op = op;
    new_instruction->operands = std::move(operands);
    new_instruction->parent = source.parent;
    new_instruction->location = source.location;
    new_instruction->text = source.text;
    return new_instruction;
}

const SourceLocation* Module::location(SourceLocation location) {
    return &locations_.emplace_back(std::move(location));
}

const Instruction* as_instruction(const Value* value) {
    return value->has_kind(Value::Kind::instruction) ? static_cast<const Instruction*>(value)
                                                     : nullptr;
}

Instruction* as_instruction(Value* value) {
    return value->has_kind(Value::Kind::instruction) ? static_cast<Instruction*>(value) : nullptr;
}

const Constant* as_constant(const Value* value) {
    const bool is_one =
        value->kind >= Value::Kind::number && value->kind <= Value::Kind::expression;
    return is_one ? static_cast<const Constant*>(value) : nullptr;
}

const Operation* as_operation(const Value* value) {
    const bool is_one =
        value->has_kind(Value::Kind::instruction) || value->has_kind(Value::Kind::expression);
    return is_one ? static_cast<const Operation*>(value) : nullptr;
}

bool is_number(const Value* value, i64& number) {
    const Constant* constant = as_constant(value);
    if (!constant || !value->type->has_kind(Type::Kind::integer) || value->type->bits > 64)
        return false;
    if (value->has_kind(Value::Kind::zero)) {
        number = 0;
        return true;
    }
    if (!value->has_kind(Value::Kind::number)) return false;
    const u32 unused_bits = 64 - value->type->bits;
    number = static_cast<i64>(constant->bits << unused_bits) >> unused_bits;
    return true;
}

const Function* called_function(const Instruction& call) {
    const bool is_named = call.callee && call.callee->has_kind(Value::Kind::function);
    return is_named ? static_cast<const Function*>(call.callee) : nullptr;
}

void replace_uses(Function& function, const Value* old_value, Value* new_value) {
    for (Block* block : function.blocks) {
        for (Instruction* instruction : block->instructions) {
            for (Value*& operand : instruction->operands) {
                if (operand == old_value) operand = new_value;
            }
            if (instruction->callee == old_value) instruction->callee = new_value;
        }
    }
}

std::map<const Value*, u32> count_uses(const Function& function) {
    std::map<const Value*, u32> uses;
    for (const Block* block : function.blocks) {
        for (const Instruction* instruction : block->instructions) {
            for (const Value* operand : instruction->operands) ++uses[operand];
            if (instruction->callee) ++uses[instruction->callee];
        }
    }
    return uses;
}

const SourceLocation* outermost_call_site(const SourceLocation* location) {
    while (location && location->inlined_at) location = location->inlined_at;
    return location;
}

void fail(const Instruction& failed_instruction, const std::string& reason) {
    const SourceLocation* location = outermost_call_site(failed_instruction.location);
    throw Untranslated(reason, failed_instruction.text, location ? location->file : "",
                       location ? location->line : 0);
}

}  // namespace coalesce::translator
