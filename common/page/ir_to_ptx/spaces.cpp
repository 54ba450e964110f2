// Infers the address spaces of pointers. A generic access determines its space from the address, so
// it is known only at run time whether the access counts as global or as shared. Therefore, every
// pointer whose space can be inferred is converted to that space.
//
// Idea   The arguments of a kernel are global, and an addrspacecast shows the original space. A
//        pointer that is computed from pointers to one space points to the same space. The type of
//        each such value is changed to include its space. Where the value is used as a number or
//        passed on, it is cast back to generic.
#include <algorithm>
#include <map>
#include <optional>

#include "page/ir_to_ptx/passes.h"

namespace coalesce::translator {

namespace {

bool is_generic_pointer(const Value& value) {
    return value.type->has_kind(Type::Kind::pointer) && value.type->space == Space::generic;
}

/// Returns the operands from which a pointer is computed.
std::vector<Value*> pointer_sources(const Instruction& i) {
    switch (i.op) {
        case Op::getelementptr: return {i.operands[0]};
        case Op::freeze: return {i.operands[0]};
        case Op::select: return {i.operands[1], i.operands[2]};
        case Op::phi: return i.operands;
        default: return {};
    }
}

/// Reports whether this operand is the address of a memory access, whatever its space.
bool is_address(const Instruction& user, std::size_t operand) {
    switch (user.op) {
        case Op::load:
        case Op::atomicrmw:
        case Op::cmpxchg: return operand == 0;
        case Op::store: return operand == 1;
        case Op::call: break;
        default: return false;
    }
    const Function* function = called_function(user);
    if (!function) return false;
    for (const char* name : {"llvm.memcpy.", "llvm.memmove.", "llvm.memset.", "llvm.lifetime."}) {
        if (function->name.starts_with(name)) return true;
    }
    return false;
}

class SpaceInference {
public:
    SpaceInference(Module& module, Function& function) : module_(module), function_(function) {}

    void run() {
        find_spaces();
        for (Block* block : function_.blocks) {
            // This loop also visits the instructions that rewrite() inserts.
            for (std::size_t k = 0; k < block->instructions.size(); ++k) rewrite(*block, k);
        }
        retype();
        for (auto& [block, casts] : casts_at_end_) {
            block->instructions.insert(block->instructions.end() - 1, casts.begin(), casts.end());
        }
    }

private:
    /// The address space of a pointer, or nullopt if it is not known yet.
    using KnownSpace = std::optional<Space>;

    KnownSpace find_space(const Value* value) const;
    void find_spaces();
    bool has_known_space(const Value* value) const;
    Value* cast_to_known_space(Value* value);
    Value* cast_to_generic(Instruction& user, std::size_t operand, Block& block,
                           std::size_t& position);
    void rewrite(Block& block, std::size_t& position);
    void rewrite_operand(Instruction& user, std::size_t operand, Block& block,
                         std::size_t& position);
    void retype();
    const Type* pointer_type(Space space) { return module_.types.pointer(space); }

    Module& module_;
    Function& function_;
    std::map<const Value*, KnownSpace> known_spaces_;  ///< the spaces of instructions
    std::map<const Value*, Value*> moved_arguments_;
    std::map<Block*, std::vector<Instruction*>> casts_at_end_;
};

SpaceInference::KnownSpace SpaceInference::find_space(const Value* value) const {
    if (!is_generic_pointer(*value)) return value->type->space;
    if (value->has_kind(Value::Kind::undefined)) return std::nullopt;
    if (value->has_kind(Value::Kind::argument)) {
        if (static_cast<const Argument*>(value)->by_value) return Space::param;
        return function_.is_kernel ? Space::global : Space::generic;
    }
    if (value->has_kind(Value::Kind::expression)) {
        const auto* expression = static_cast<const Constant*>(value);
        const bool goes_through =
            expression->op == Op::addrspacecast || expression->op == Op::getelementptr;
        return goes_through ? find_space(expression->operands[0]) : Space::generic;
    }
    const auto known_space = known_spaces_.find(value);
    return known_space == known_spaces_.end() ? Space::generic : known_space->second;
}

/// Finds the space of every pointer. A pointer's space starts as unknown and changes only towards
/// generic. Therefore, the search terminates even if there are phis in loops.
void SpaceInference::find_spaces() {
    const auto is_loaded_by_kernel = [&](const Instruction& i) {
        return i.op == Op::load && function_.is_kernel && find_space(i.operands[0]) == Space::param;
    };
    for (Block* block : function_.blocks) {
        for (const Instruction* i : block->instructions) {
            if (!is_generic_pointer(*i)) continue;
            if (i->op == Op::addrspacecast || !pointer_sources(*i).empty())
                known_spaces_[i] = std::nullopt;
            if (i->op == Op::alloca) known_spaces_[i] = Space::local;
        }
    }
    for (bool is_changed = true; is_changed;) {
        is_changed = false;
        for (Block* block : function_.blocks) {
            for (const Instruction* i : block->instructions) {
                if (is_generic_pointer(*i) && is_loaded_by_kernel(*i))
                    known_spaces_[i] = Space::global;
                const auto known_space = known_spaces_.find(i);
                if (known_space == known_spaces_.end() || i->op == Op::alloca || i->op == Op::load)
                    continue;
                KnownSpace new_space = known_space->second;
                const auto sources = i->op == Op::addrspacecast ? i->operands : pointer_sources(*i);
                for (const Value* source : sources) {
                    const KnownSpace source_space = find_space(source);
                    if (!source_space) continue;
                    new_space =
                        !new_space || *new_space == *source_space ? source_space : Space::generic;
                }
                is_changed |= new_space != known_space->second;
                known_space->second = new_space;
            }
        }
    }
}

bool SpaceInference::has_known_space(const Value* value) const {
    if (!is_generic_pointer(*value)) return false;
    const KnownSpace value_space = find_space(value);
    return value_space && *value_space != Space::generic;
}

/// Returns the value cast to a pointer in its inferred space.
Value* SpaceInference::cast_to_known_space(Value* value) {
    const Space space = *find_space(value);
    if (value->has_kind(Value::Kind::argument)) {
        auto* argument = static_cast<Argument*>(value);
        if (argument->by_value) {
            argument->type = pointer_type(Space::param);
            return argument;
        }
        Value*& argument_cast = moved_arguments_[value];
        if (!argument_cast) {
            auto* cast = module_.make<Instruction>(Value::Kind::instruction, pointer_type(space));
            cast->op = Op::addrspacecast;
            cast->operands = {value};
            cast->parent = function_.blocks.front();
            argument_cast = cast;
        }
        return argument_cast;
    }
    if (!value->has_kind(Value::Kind::expression)) return value;  // retype() changes its type
    auto* expression = static_cast<Constant*>(value);
    if (expression->op == Op::addrspacecast) {
        Value* source = expression->operands[0];
        return has_known_space(source) ? cast_to_known_space(source) : source;
    }
    auto* expression_copy = module_.make<Constant>(*expression);
    expression_copy->type = pointer_type(space);
    if (has_known_space(expression_copy->operands[0]))
        expression_copy->operands[0] = cast_to_known_space(expression_copy->operands[0]);
    return expression_copy;
}

Value* SpaceInference::cast_to_generic(Instruction& user, std::size_t operand, Block& block,
                                       std::size_t& position) {
    Value* value = user.operands[operand];
    // Arguments and constants also exist as generic pointers, so they need no cast.
    const bool is_as_it_was =
        value->has_kind(Value::Kind::expression) || value->has_kind(Value::Kind::argument);
    if (is_as_it_was && find_space(value) != Space::param) return value;
    Instruction* cast = module_.instruction(Op::addrspacecast, pointer_type(Space::generic),
                                            {cast_to_known_space(value)}, user);
    if (user.op == Op::phi) {
        cast->parent = user.blocks[operand];
        casts_at_end_[cast->parent].push_back(cast);
    } else {
        block.instructions.insert(
            block.instructions.begin() + static_cast<std::ptrdiff_t>(position++), cast);
    }
    return cast;
}

void SpaceInference::rewrite_operand(Instruction& user, std::size_t operand, Block& block,
                                     std::size_t& position) {
    Value*& value = user.operands[operand];
    if (!has_known_space(value)) return;
    const bool is_computed_from = !pointer_sources(user).empty() && has_known_space(&user) &&
                                  !(user.op == Op::select && operand == 0);
    if (is_address(user, operand) || is_computed_from || user.op == Op::addrspacecast) {
        value = cast_to_known_space(value);
    } else {
        value = cast_to_generic(user, operand, block, position);
    }
}

void SpaceInference::rewrite(Block& block, std::size_t& position) {
    Instruction& user = *block.instructions[position];
    for (std::size_t k = 0; k < user.operands.size(); ++k)
        rewrite_operand(user, k, block, position);
}

void SpaceInference::retype() {
    std::vector<Instruction*> casts;
    for (auto& [argument, cast] : moved_arguments_) casts.push_back(as_instruction(cast));
    std::sort(casts.begin(), casts.end(), [](const Instruction* a, const Instruction* b) {
        return static_cast<Argument*>(a->operands[0])->index <
               static_cast<Argument*>(b->operands[0])->index;
    });
    for (Block* block : function_.blocks) {
        for (Instruction* i : block->instructions) {
            const auto known_space = known_spaces_.find(i);
            if (known_space == known_spaces_.end() || !known_space->second ||
                *known_space->second == Space::generic)
                continue;
            i->type = pointer_type(*known_space->second);
        }
    }
    auto& entry = function_.blocks.front()->instructions;
    entry.insert(entry.begin(), casts.begin(), casts.end());
}

}  // namespace

void infer_address_spaces(Module& module, Function& function) {
    SpaceInference(module, function).run();
}

}  // namespace coalesce::translator
