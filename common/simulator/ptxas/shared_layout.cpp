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

u32 place_after(u32& top, const ptx::Variable& v, u32 limit) {
    const u64 offset = round_up(u64{top}, v.align);
    if (offset > limit || v.size > limit - offset)
        throw LoweringError("the variable " + v.name + " of " + std::to_string(v.size) +
                            " bytes does not fit: the address space has " + std::to_string(limit) +
                            " bytes");
    top = static_cast<u32>(offset + v.size);
    return static_cast<u32>(offset);
}

namespace {

/// Calls `use(name)` for each name in the instruction's operands.
template <class Use>
void for_each_name(const ptx::Instruction& i, Use use) {
    const auto visit = [&](const auto& self, const Operand& operand) -> void {
        if (!operand.name.empty()) use(operand.name);
        for (const Operand& element : operand.elements) self(self, element);
    };
    for (const Operand& operand : i.operands) visit(visit, operand);
}

/// Returns the kernel and all device functions that it may execute: those that are called, and
/// those whose addresses are taken.
std::vector<const ptx::Function*> reachable_functions(const ptx::Module& module,
                                                      const ptx::Function& kernel) {
    std::vector<const ptx::Function*> reached{&kernel};
    std::set<std::string> known{kernel.name};
    const auto& functions = module.functions;
    bool through_pointer = false;
    for (std::size_t k = 0; k < reached.size(); ++k) {
        for (const ptx::Instruction& i : reached[k]->body) {
            for_each_name(i, [&](const std::string& name) {
                const auto found = functions.find(name);
                if (found != functions.end() && known.insert(name).second)
                    reached.push_back(found->second.get());
            });
            if (through_pointer || i.opcode != "call" || find_callee(i)) continue;
            through_pointer = true;  // a pointer from memory may point to any function
            for (const auto& [name, function] : functions)
                if (!function->is_entry && known.insert(name).second)
                    reached.push_back(function.get());
        }
    }
    return reached;
}

/// Returns the names in the functions' instructions, and the names in the initial values of the
/// module variables that these instructions use.
std::set<std::string> mentioned_names(const ptx::Module& module,
                                      const std::vector<const ptx::Function*>& functions) {
    std::set<std::string> mentioned;
    for (const ptx::Function* function : functions)
        for (const ptx::Instruction& i : function->body)
            for_each_name(i, [&](const std::string& name) { mentioned.insert(name); });
    for (const auto& [name, v] : module.variables)
        if (mentioned.contains(name))
            for (const ptx::Relocation& r : v.relocations) mentioned.insert(r.symbol);
    return mentioned;
}

/// Returns the shared variables in the order of their declarations.
std::vector<const ptx::Variable*> list_shared_variables(
    const std::map<std::string, ptx::Variable>& variables) {
    std::vector<const ptx::Variable*> shared;
    for (const auto& [name, v] : variables)
        if (v.space == StateSpace::shared) shared.push_back(&v);
    std::sort(shared.begin(), shared.end(), [](const ptx::Variable* a, const ptx::Variable* b) {
        return a->declared < b->declared;
    });
    return shared;
}

}  // namespace

SharedLayout shared_layout(const ptx::Module& module, const ptx::Function& kernel) {
    SharedLayout layout;
    std::vector<const ptx::Variable*> dynamic;
    u32 alignment = 16;
    const auto place = [&](const ptx::Variable& v) {
        if (layout.offsets.contains(v.name)) return;
        if (v.size == 0) {
            dynamic.push_back(&v);
            alignment = std::max(alignment, v.align);
            return;
        }
        layout.offsets[v.name] = place_after(layout.bytes, v, DeviceModel::shared_per_block);
    };
    const auto functions = reachable_functions(module, kernel);
    const std::set<std::string> mentioned = mentioned_names(module, functions);
    for (const ptx::Function* function : functions)
        for (const ptx::Variable* v : list_shared_variables(function->variables)) place(*v);
    for (const ptx::Variable* v : list_shared_variables(module.variables))
        if (mentioned.contains(v->name)) place(*v);
    if (!dynamic.empty()) layout.bytes = static_cast<u32>(round_up(layout.bytes, alignment));
    for (const ptx::Variable* v : dynamic) layout.offsets[v->name] = layout.bytes;
    return layout;
}

}  // namespace coalesce::simulator
