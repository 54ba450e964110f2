#include "simulator/ptxas/shared_layout.h"

#include <algorithm>
#include <set>
#include <vector>

#include "simulator/base/device_model.h"
#include "simulator/code/lowering_error.h"
#include "simulator/ptx/instruction_parts.h"

namespace coalesce::simulator {

using ptx::Operand;
using ptx::StateSpace;

u32 place_variable_after(u32& layout_end, const ptx::Variable& v, u32 limit) {
    const u64 offset = round_up(u64{layout_end}, v.align);
    if (offset > limit || v.size > limit - offset)
        throw LoweringError("the variable " + v.name + " of " + std::to_string(v.size) +
                            " bytes does not fit: the address space has " + std::to_string(limit) +
                            " bytes");
    layout_end = static_cast<u32>(offset + v.size);
    return static_cast<u32>(offset);
}

namespace {

/// Calls `use_name(name)` for each name in the instruction's operands.
template <class Use>
void for_each_name(const ptx::Instruction& i, Use use_name) {
    const auto visit_operand = [&](const auto& visit_again, const Operand& operand) -> void {
        if (!operand.name.empty()) use_name(operand.name);
        for (const Operand& element : operand.elements) visit_again(visit_again, element);
    };
    for (const Operand& operand : i.operands) visit_operand(visit_operand, operand);
}

/// Returns the kernel and all device functions that it may execute: those that are called, and
/// those whose addresses are taken.
std::vector<const ptx::Function*> reachable_functions(const ptx::Module& module,
                                                      const ptx::Function& kernel) {
    std::vector<const ptx::Function*> found_functions{&kernel};
    std::set<std::string> known_names{kernel.name};
    const auto& functions = module.functions;
    bool has_indirect_calls = false;
    for (std::size_t k = 0; k < found_functions.size(); ++k) {
        for (const ptx::Instruction& i : found_functions[k]->body) {
            for_each_name(i, [&](const std::string& name) {
                const auto function_entry = functions.find(name);
                if (function_entry != functions.end() && known_names.insert(name).second)
                    found_functions.push_back(function_entry->second.get());
            });
            if (has_indirect_calls || i.opcode != "call" || find_callee(i)) continue;
            has_indirect_calls = true;  // a pointer from memory may point to any function
            for (const auto& [name, function] : functions)
                if (!function->is_entry && known_names.insert(name).second)
                    found_functions.push_back(function.get());
        }
    }
    return found_functions;
}

/// Returns the names in the functions' instructions, and the names in the initial values of the
/// module variables that these instructions use.
std::set<std::string> mentioned_names(const ptx::Module& module,
                                      const std::vector<const ptx::Function*>& functions) {
    std::set<std::string> names;
    for (const ptx::Function* function : functions)
        for (const ptx::Instruction& i : function->body)
            for_each_name(i, [&](const std::string& name) { names.insert(name); });
    for (const auto& [name, v] : module.variables)
        if (names.contains(name))
            for (const ptx::Relocation& r : v.relocations) names.insert(r.symbol);
    return names;
}

/// Returns the shared variables in the order of their declarations.
std::vector<const ptx::Variable*> list_shared_variables(
    const std::map<std::string, ptx::Variable>& variables) {
    std::vector<const ptx::Variable*> shared_variables;
    for (const auto& [name, v] : variables)
        if (v.space == StateSpace::shared) shared_variables.push_back(&v);
    std::sort(shared_variables.begin(), shared_variables.end(),
              [](const ptx::Variable* a, const ptx::Variable* b) {
                  return a->declaration_order < b->declaration_order;
              });
    return shared_variables;
}

}  // namespace

SharedLayout make_shared_layout(const ptx::Module& module, const ptx::Function& kernel) {
    SharedLayout layout;
    std::vector<const ptx::Variable*> dynamic_variables;
    u32 alignment = 16;
    const auto place_variable = [&](const ptx::Variable& v) {
        if (layout.offsets.contains(v.name)) return;
        if (v.size == 0) {
            dynamic_variables.push_back(&v);
            alignment = std::max(alignment, v.align);
            return;
        }
        layout.offsets[v.name] =
            place_variable_after(layout.bytes, v, DeviceModel::shared_per_block);
    };
    const auto functions = reachable_functions(module, kernel);
    const std::set<std::string> names = mentioned_names(module, functions);
    for (const ptx::Function* function : functions)
        for (const ptx::Variable* v : list_shared_variables(function->variables))
            place_variable(*v);
    for (const ptx::Variable* v : list_shared_variables(module.variables))
        if (names.contains(v->name)) place_variable(*v);
    if (!dynamic_variables.empty())
        layout.bytes = static_cast<u32>(round_up(layout.bytes, alignment));
    for (const ptx::Variable* v : dynamic_variables) layout.offsets[v->name] = layout.bytes;
    return layout;
}

}  // namespace coalesce::simulator
