// Replaces operations for which PTX has no instruction with calls to the functions in library.cpp.
#include <algorithm>
#include <set>

#include "page/ir_to_ptx/library.h"
#include "page/ir_to_ptx/passes.h"

namespace coalesce::translator {

namespace {

constexpr std::string_view kPrefix = "coalesce.";

bool is_wide(const Type& type) {
    return type.has_kind(Type::Kind::integer) && type.bits > 64;
}

/// Returns the name of the library function for an operation on wide integers, such as "sdiv.i128"
/// or "sitofp.i128.float". Returns "" for other instructions.
std::string library_function_name(const Instruction& i) {
    switch (i.op) {
        case Op::udiv:
        case Op::sdiv:
        case Op::urem:
        case Op::srem: return is_wide(*i.type) ? std::string(name_of(i.op)) + ".i128" : "";
        case Op::uitofp:
        case Op::sitofp:
            if (!is_wide(*i.operands[0]->type)) return "";
            return std::string(name_of(i.op)) + ".i128." + text_of(*i.type);
        case Op::fptoui:
        case Op::fptosi:
            if (!is_wide(*i.type)) return "";
            return std::string(name_of(i.op)) + "." + text_of(*i.operands[0]->type) + ".i128";
        case Op::call: {
            const Function* function = called_function(i);
            const bool is_intrinsic = function && function->name.starts_with("llvm.");
            return is_intrinsic ? function->name.substr(5) : "";
        }
        default: return "";
    }
}

class LibraryCalls {
public:
    LibraryCalls(Module& module, Function& function) : module_(module), function_(function) {
        for (Function* loaded_function : module.functions)
            if (loaded_function->name.starts_with(kPrefix))
                functions_by_name_[loaded_function->name.substr(kPrefix.size())] = loaded_function;
    }

    void run() {
        for (Block* block : function_.blocks) {
            std::vector<Instruction*> new_instructions;
            for (Instruction* i : block->instructions) {
                const auto library_function = functions_by_name_.find(library_function_name(*i));
                if (library_function == functions_by_name_.end()) {
                    new_instructions.push_back(i);
                } else {
                    make_call(*i, library_function->second, new_instructions);
                }
            }
            block->instructions = std::move(new_instructions);
        }
    }

private:
    /// Replaces the instruction with a call. Converts operands and results of odd widths, such as
    /// i100, to and from i128.
    void make_call(Instruction& i, Function* callee, std::vector<Instruction*>& new_instructions) {
        const bool is_signed = i.op == Op::sdiv || i.op == Op::srem || i.op == Op::sitofp;
        const auto& types = callee->function_type->elements;
        Instruction* call = module_.instruction(Op::call, types[0], i.operands, i);
        for (std::size_t k = 0; k < i.operands.size(); ++k) {
            if (i.operands[k]->type == types[k + 1]) continue;
            call->operands[k] = module_.instruction(is_signed ? Op::sext : Op::zext, types[k + 1],
                                                    {i.operands[k]}, i);
            append(new_instructions, as_instruction(call->operands[k]), i);
        }
        call->callee = callee;
        call->function_type = callee->function_type;
        call->by_value.resize(call->operands.size());
        call->by_value_align.resize(call->operands.size());
        append(new_instructions, call, i);
        Value* result = call;
        if (i.type != types[0]) {
            Instruction* truncated = module_.instruction(Op::trunc, i.type, {call}, i);
            append(new_instructions, truncated, i);
            result = truncated;
        }
        replace_uses(function_, &i, result);
    }

    static void append(std::vector<Instruction*>& new_instructions, Instruction* new_instruction,
                       const Instruction& in_place_of) {
        new_instruction->parent = in_place_of.parent;
        new_instructions.push_back(new_instruction);
    }

    Module& module_;
    Function& function_;
    std::map<std::string, Function*> functions_by_name_;
};

}  // namespace

void replace_by_library_calls(Module& module, Function& function) {
    LibraryCalls(module, function).run();
}

void drop_unused_library(Module& module) {
    std::set<const Function*> reachable;
    std::vector<const Function*> pending;
    for (const Function* function : module.functions)
        if (!function->name.starts_with(kPrefix)) pending.push_back(function);
    while (!pending.empty()) {
        const Function* function = pending.back();
        pending.pop_back();
        if (!reachable.insert(function).second) continue;
        for (const Block* block : function->blocks)
            for (const Instruction* i : block->instructions)
                if (i->op == Op::call && called_function(*i))
                    pending.push_back(called_function(*i));
    }
    std::erase_if(module.functions,
                  [&](const Function* function) { return !reachable.count(function); });
}

}  // namespace coalesce::translator
