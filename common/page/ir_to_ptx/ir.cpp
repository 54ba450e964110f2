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
                                 const Instruction& like) {
    auto* made = make<Instruction>(Value::Kind::instruction, type);
    made->op = op;
    made->operands = std::move(operands);
    made->parent = like.parent;
    made->place = like.place;
    made->text = like.text;
    return made;
}

const Place* Module::place(Place place) {
    return &places_.emplace_back(std::move(place));
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
    const u32 unused = 64 - value->type->bits;
    number = static_cast<i64>(constant->bits << unused) >> unused;
    return true;
}

const Function* called_function(const Instruction& call) {
    const bool is_named = call.callee && call.callee->has_kind(Value::Kind::function);
    return is_named ? static_cast<const Function*>(call.callee) : nullptr;
}

void replace_uses(Function& function, const Value* old, Value* with) {
    for (Block* block : function.blocks) {
        for (Instruction* instruction : block->instructions) {
            for (Value*& operand : instruction->operands) {
                if (operand == old) operand = with;
            }
            if (instruction->callee == old) instruction->callee = with;
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

const Place* outermost_call_site(const Place* place) {
    while (place && place->inlined_at) place = place->inlined_at;
    return place;
}

void fail(const Instruction& at, const std::string& why) {
    const Place* place = outermost_call_site(at.place);
    throw Untranslated(why, at.text, place ? place->file : "", place ? place->line : 0);
}

}  // namespace coalesce::translator
