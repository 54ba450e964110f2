// Handles parameters that are passed by value, such as a `struct Pair`. Their bytes are in the
// read-only .param space.
#include <set>

#include "page/ir_to_ptx/layout.h"
#include "page/ir_to_ptx/passes.h"

namespace coalesce::translator {

namespace {

/// Reports whether all uses of the pointer are loads, or address computations for loads.
bool is_pointee_only_read(const Function& function, const Value* pointer) {
    for (const Block* block : function.blocks) {
        for (const Instruction* user : block->instructions) {
            for (const Value* operand : user->operands) {
                if (operand != pointer) continue;
                if (user->op == Op::load && !user->type->is_aggregate()) continue;
                const bool is_step = user->op == Op::getelementptr && user->operands[0] == pointer;
                if (!is_step || !is_pointee_only_read(function, user)) return false;
            }
        }
    }
    return true;
}

/// Adds an alloca at the beginning of the function, and copies the argument to it, one part at a
/// time.
void copy(Module& module, Function& function, Argument& argument) {
    auto& entry = *function.blocks.front();
    const Instruction& like = *entry.instructions.front();
    Types& types = module.types;
    std::vector<Instruction*> made;
    Instruction* local = module.instruction(Op::alloca, types.pointer(), {}, like);
    local->memory_type = argument.by_value;
    local->align = std::max(argument.align, abi_alignment(*argument.by_value));
    replace_uses(function, &argument, local);
    made.push_back(local);
    for (const ScalarPart& part : list_scalar_parts(*argument.by_value)) {
        const auto step = [&](Value* base) {
            Value* offset = module.number(types.integer(64), part.offset);
            Instruction* step_address =
                module.instruction(Op::getelementptr, types.pointer(), {base, offset}, like);
            step_address->memory_type = types.integer(8);
            made.push_back(step_address);
            return step_address;
        };
        Value* from = step(&argument);
        Instruction* load = module.instruction(Op::load, part.type, {from}, like);
        made.push_back(load);
        Value* to = step(local);
        Instruction* store = module.instruction(Op::store, types.nothing(), {load, to}, like);
        store->memory_type = load->memory_type = part.type;
        made.push_back(store);
    }
    entry.instructions.insert(entry.instructions.begin(), made.begin(), made.end());
}

}  // namespace

void read_by_value_arguments_in_place(Module& module, Function& function) {
    for (Argument* argument : function.arguments) {
        if (argument->by_value && !is_pointee_only_read(function, argument)) {
            copy(module, function, *argument);
        }
    }
}

}  // namespace coalesce::translator
