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
        for (Function* known : module.functions)
            if (known->name.starts_with(kPrefix))
                by_name_[known->name.substr(kPrefix.size())] = known;
    }

    void run() {
        for (Block* block : function_.blocks) {
            std::vector<Instruction*> all;
            for (Instruction* i : block->instructions) {
                const auto known = by_name_.find(library_function_name(*i));
                if (known == by_name_.end()) {
                    all.push_back(i);
                } else {
                    make_call(*i, known->second, all);
                }
            }
            block->instructions = std::move(all);
        }
    }

private:
    /// Replaces the instruction with a call. Converts operands and results of odd widths, such as
    /// i100, to and from i128.
    void make_call(Instruction& i, Function* callee, std::vector<Instruction*>& all) {
        const bool is_signed = i.op == Op::sdiv || i.op == Op::srem || i.op == Op::sitofp;
        const auto& types = callee->function_type->elements;
        Instruction* call = module_.instruction(Op::call, types[0], i.operands, i);
        for (std::size_t k = 0; k < i.operands.size(); ++k) {
            if (i.operands[k]->type == types[k + 1]) continue;
            call->operands[k] = module_.instruction(is_signed ? Op::sext : Op::zext, types[k + 1],
                                                    {i.operands[k]}, i);
            add(all, as_instruction(call->operands[k]), i);
        }
        call->callee = callee;
        call->function_type = callee->function_type;
        call->by_value.resize(call->operands.size());
        call->by_value_align.resize(call->operands.size());
        add(all, call, i);
        Value* result = call;
        if (i.type != types[0]) {
            Instruction* narrow = module_.instruction(Op::trunc, i.type, {call}, i);
            add(all, narrow, i);
            result = narrow;
        }
        replace_uses(function_, &i, result);
    }

    static void add(std::vector<Instruction*>& all, Instruction* made,
                    const Instruction& in_place_of) {
        made->parent = in_place_of.parent;
        all.push_back(made);
    }

    Module& module_;
    Function& function_;
    std::map<std::string, Function*> by_name_;
};

}  // namespace

void replace_by_library_calls(Module& module, Function& function) {
    LibraryCalls(module, function).run();
}

void drop_unused_library(Module& module) {
    std::set<const Function*> used;
    std::vector<const Function*> open;
    for (const Function* function : module.functions)
        if (!function->name.starts_with(kPrefix)) open.push_back(function);
    while (!open.empty()) {
        const Function* function = open.back();
        open.pop_back();
        if (!used.insert(function).second) continue;
        for (const Block* block : function->blocks)
            for (const Instruction* i : block->instructions)
                if (i->op == Op::call && called_function(*i)) open.push_back(called_function(*i));
    }
    std::erase_if(module.functions,
                  [&](const Function* function) { return !used.count(function); });
}

}  // namespace coalesce::translator
