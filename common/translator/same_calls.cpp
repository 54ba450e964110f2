// A function that neither reads nor writes memory gives the same for the same: it is called once, where an
// earlier call comes before on every way. The back end does so, and a call takes requests of its own when
// what it is given is loaded for it.
#include <map>

#include "translator/flow.h"
#include "translator/passes.h"

namespace coalesce::translator {

namespace {

bool is_pure(const Instruction& i) {
    const Function* function = i.op == Op::call ? called(i) : nullptr;
    if (!function || i.type->is(Type::Kind::nothing)) return false;
    const auto memory = function->attributes.find("memory");
    return memory != function->attributes.end() && memory->second == "none" &&
           function->attributes.count("convergent") == 0;
}

/// Equal values have equal keys: numbers are not made once each.
struct Key {
    const void* what;
    u64 bits = 0, high = 0;
    auto operator<=>(const Key&) const = default;
};

Key key_of(const Value* value) {
    if (value->is(Value::Kind::zero)) return {value->type, 0, 0};
    if (value->is(Value::Kind::undefined)) return {value->type, ~u64{0}, ~u64{0}};
    if (!value->is(Value::Kind::number)) return {value};
    const Constant& number = *as_constant(value);
    return {value->type, number.bits, number.high};
}

}  // namespace

void share_calls(Function& function) {
    const Dominators dominators(function);
    std::map<std::vector<Key>, std::vector<Instruction*>> known;
    for (Block* block : dominators.order()) {
        std::erase_if(block->instructions, [&](Instruction* i) {
            if (!is_pure(*i)) return false;
            std::vector<Key> key = {key_of(i->callee)};
            for (const Value* operand : i->operands) key.push_back(key_of(operand));
            std::vector<Instruction*>& same = known[key];
            for (Instruction* earlier : same) {
                if (!dominators.dominates(earlier->parent, block)) continue;
                replace_uses(function, i, earlier);
                return true;
            }
            same.push_back(i);
            return false;
        });
    }
}

}  // namespace coalesce::translator
