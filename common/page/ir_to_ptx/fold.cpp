#include "page/ir_to_ptx/fold.h"

#include "page/ir_to_ptx/emitter.h"
#include "page/ir_to_ptx/layout.h"

namespace coalesce::translator {

namespace {

bool folds_address(const Instruction& user, const Value* address) {
    switch (user.op) {
        case Op::load:
        case Op::atomicrmw:
        case Op::cmpxchg: return user.operands[0] == address;
        case Op::store: return user.operands[1] == address && user.operands[0] != address;
        default: return false;
    }
}

const Instruction* find_extension(const Value* value) {
    const Instruction* i = as_instruction(value);
    if (!i || (i->op != Op::sext && i->op != Op::zext)) return nullptr;
    const u32 to = i->type->bits, from = i->operands[0]->type->bits;
    const bool is_half = (to == 64 && from == 32) || (to == 32 && from == 16);
    return is_half && i->type->has_kind(Type::Kind::integer) ? i : nullptr;
}

/// Reports whether the number fits into the width of mul.wide's operands.
bool fits_in_half(i64 factor, u32 bits, bool is_signed) {
    const i64 limit = i64{1} << (is_signed ? bits - 1 : bits);
    return factor < limit && factor >= (is_signed ? -limit : 0);
}

}  // namespace

WideProduct match_wide_product(const Instruction& product) {
    if (product.op != Op::mul && product.op != Op::shl) return {};
    const Instruction* a = find_extension(product.operands[0]);
    if (!a) return {};
    WideProduct result{a->operands[0], nullptr, 0, a->op == Op::sext};
    i64 number = 0;
    if (is_number(product.operands[1], number)) {
        const u32 bits = a->operands[0]->type->bits;
        result.factor = product.op == Op::mul ? number : i64{1} << (number & 62);
        const bool is_shift = product.op == Op::shl && (number < 0 || number > 62);
        if (is_shift || (product.op == Op::shl && result.factor >> number != 1)) return {};
        return fits_in_half(result.factor, bits, result.is_signed) ? result : WideProduct{};
    }
    if (product.op == Op::shl) return {};
    const Instruction* b = find_extension(product.operands[1]);
    if (!b || b->op != a->op) return {};
    result.b = b->operands[0];
    return result;
}

bool FoldedInstructions::is_folded_into(const Instruction& i, const Instruction& user) const {
    switch (i.op) {
        case Op::getelementptr: {
            i64 number = 0;
            return is_number(i.operands[1], number) && folds_address(user, &i);
        }
        case Op::sext:
        case Op::zext: return find_extension(&i) && match_wide_product(user).a != nullptr;
        case Op::mul:  // the product becomes part of mad.lo
            return user.op == Op::add && user.parent == i.parent && !match_wide_product(i).a &&
                   i.type->has_kind(Type::Kind::integer) && i.type->bits <= 64 &&
                   i.type->bits > 8 && !is_folded(user.operands[user.operands[0] == &i ? 1 : 0]) &&
                   user.operands[0] != user.operands[1];
        default: return false;
    }
}

bool is_register_rename(const Instruction& i) {
    i64 number = 0;
    switch (i.op) {
        case Op::freeze:
        case Op::extractvalue:
        case Op::insertvalue:
        case Op::shufflevector: return true;
        case Op::extractelement: return is_number(i.operands[1], number);
        case Op::insertelement: return is_number(i.operands[2], number);
        case Op::ptrtoint:
        case Op::inttoptr: return register_bits(*i.type) == register_bits(*i.operands[0]->type);
        case Op::trunc:
            return !i.type->has_kind(Type::Kind::vector) && i.operands[0]->type->bits <= 64 &&
                   register_bits(*i.type) == register_bits(*i.operands[0]->type);
        case Op::addrspacecast: return i.type->space == i.operands[0]->type->space;
        case Op::bitcast: {
            const auto to = list_scalar_parts(*i.type),
                       from = list_scalar_parts(*i.operands[0]->type);
            if (to.size() != from.size()) return false;
            for (std::size_t k = 0; k < to.size(); ++k) {
                if (store_size(*to[k].type) != store_size(*from[k].type)) return false;
            }
            return to.empty() || register_bits(*to[0].type) == register_bits(*from[0].type);
        }
        default: return false;
    }
}

FoldedInstructions::FoldedInstructions(const Function& function) {
    std::map<const Value*, std::vector<const Instruction*>> users;
    for (const Block* block : function.blocks) {
        for (const Instruction* user : block->instructions) {
            for (const Value* operand : user->operands) users[operand].push_back(user);
        }
    }
    for (const Block* block : function.blocks) {
        for (const Instruction* i : block->instructions) {
            const std::vector<const Instruction*>& users_of_value = users[i];
            if (is_register_rename(*i)) folded_.insert(i);
            bool is_folded =
                !users_of_value.empty() && (i->op != Op::mul || users_of_value.size() == 1);
            for (const Instruction* user : users_of_value)
                is_folded = is_folded && is_folded_into(*i, *user);
            if (is_folded) folded_.insert(i);
        }
    }
}

std::vector<const Value*> FoldedInstructions::find_read_values(
    const Instruction& instruction) const {
    std::vector<const Value*> read_values;
    for (const Value* operand : instruction.operands) {
        const auto source_values = find_source_values(operand);
        read_values.insert(read_values.end(), source_values.begin(), source_values.end());
    }
    if (instruction.callee) {
        const auto source_values = find_source_values(instruction.callee);
        read_values.insert(read_values.end(), source_values.begin(), source_values.end());
    }
    return read_values;
}

std::vector<const Value*> FoldedInstructions::find_source_values(const Value* value) const {
    std::vector<const Value*> source_values, pending = {value};
    std::set<const Value*> visited;
    while (!pending.empty()) {
        value = pending.back();
        pending.pop_back();
        if (!visited.insert(value).second) continue;
        if (is_folded(value)) {
            const Instruction& inner = *as_instruction(value);
            pending.insert(pending.end(), inner.operands.begin(), inner.operands.end());
        } else {
            source_values.push_back(value);
        }
    }
    return source_values;
}

}  // namespace coalesce::translator
