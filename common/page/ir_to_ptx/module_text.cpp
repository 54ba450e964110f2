// Writes a module: version and target, variables with their initial values, prototypes, functions
// and files.
#include "page/ir_to_ptx/module_text.h"

#include <algorithm>
#include <set>

#include "page/ir_to_ptx/emitter.h"
#include "page/ir_to_ptx/names.h"
#include "page/ir_to_ptx/parameters.h"
#include "page/ir_to_ptx/variables.h"

namespace coalesce::translator {

namespace {

/// Finds "sm_90" and "7.8" in a function's target-cpu and target-features="+ptx78,+sm_90".
void find_target(const Module& module, std::string& target, std::string& version) {
    target = "sm_90";
    version = "7.8";
    for (const Function* function : module.functions) {
        const auto cpu = function->attributes.find("target-cpu");
        const auto features = function->attributes.find("target-features");
        if (cpu == function->attributes.end() || features == function->attributes.end()) continue;
        target = cpu->second;
        const std::size_t version_begin = features->second.find("+ptx");
        if (version_begin == std::string::npos) continue;
        std::string digits = features->second.substr(version_begin + 4);
        digits = digits.substr(0, digits.find(','));
        if (digits.size() >= 2) version = digits.substr(0, digits.size() - 1) + "." + digits.back();
        return;
    }
}

/// Adds the value and, if the value is a constant, all values to which the constant refers.
void add_referenced_values(const Value* value, std::set<const Value*>& referenced) {
    if (!value || !referenced.insert(value).second) return;
    if (const Constant* constant = as_constant(value)) {
        for (const Value* operand : constant->operands) add_referenced_values(operand, referenced);
    }
}

std::set<const Value*> referenced_values(const Function& function) {
    std::set<const Value*> referenced;
    for (const Block* block : function.blocks) {
        for (const Instruction* i : block->instructions) {
            add_referenced_values(i->callee, referenced);
            for (const Value* operand : i->operands) {
                if (!as_instruction(operand)) add_referenced_values(operand, referenced);
            }
        }
    }
    return referenced;
}

std::string prototypes(const Module& module) {
    std::set<const Value*> referenced;
    for (const Function* function : module.functions)
        referenced.merge(referenced_values(*function));
    for (const Variable* variable : module.variables)
        add_referenced_values(variable->initial, referenced);
    std::string text;
    for (const Function* function : module.functions) {
        const bool is_intrinsic = function->name.starts_with("llvm.");
        if (function->is_kernel || is_intrinsic) continue;
        if (referenced.count(function)) text += prototype(*function) + ";\n";
    }
    return text;
}

/// Finds the shared variables that only one kernel uses. Each is declared inside its kernel, so
/// that other kernels do not allocate it.
std::map<const Variable*, const Function*> find_single_owners(const Module& module) {
    std::map<const Variable*, const Function*> owner;
    std::set<const Variable*> shared_variables;
    for (const Function* function : module.functions) {
        for (const Value* value : referenced_values(*function)) {
            if (!value->has_kind(Value::Kind::variable)) continue;
            const auto* variable = static_cast<const Variable*>(value);
            if (variable->space != Space::shared || !variable->initial) continue;
            if (!owner.emplace(variable, function).second) shared_variables.insert(variable);
        }
    }
    for (const Variable* variable : shared_variables) owner.erase(variable);
    return owner;
}

}  // namespace

std::string text_of(Module& module) {
    std::string target, version;
    find_target(module, target, version);
    const auto owner = find_single_owners(module);
    std::string text = ".version " + version + "\n.target " + target + "\n.address_size 64\n\n";
    std::string body;
    FileTable files;
    std::vector<DebugFunction> debug_functions;
    for (Function* function : module.functions) {
        if (function->is_declaration()) continue;
        Emitter emitter(module, *function, files);
        std::vector<const Variable*> shared;
        for (const Variable* variable : module.variables) {
            const auto found = owner.find(variable);
            if (found == owner.end() || found->second != function) continue;
            emitter.declare(variable_declaration(*variable, false));
            shared.push_back(variable);
        }
        body += "\n" + emitter.text();
        if (!function->debug_variables.empty())
            debug_functions.push_back(emitter.debug_information(shared));
    }
    const std::string declarations = prototypes(module);
    text += declarations + (declarations.empty() ? "" : "\n");
    for (const Variable* variable : order_by_dependencies(module)) {
        if (owner.count(variable) || variable->name.starts_with("llvm.")) continue;
        text += variable_declaration(*variable, true) + ";\n";
    }
    const std::string sections = debug_sections(debug_functions, files);
    return text + body + "\n" + files.text() + sections;
}

}  // namespace coalesce::translator
