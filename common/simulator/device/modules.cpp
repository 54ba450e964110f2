// Loads modules: places their variables in device memory and registers their kernels by name.
#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <vector>

#include "base/kernel_name.h"
#include "simulator/analysis/block_layout.h"
#include "simulator/device/device.h"
#include "simulator/lowering/lower.h"
#include "simulator/ptx/linker.h"
#include "simulator/ptx/parser.h"

namespace coalesce::simulator {

namespace {

/// The loaded modules, and the counters of unloaded modules, which the report at exit needs.
struct ModuleRegistry {
    std::mutex mutex;
    std::vector<Module*> loaded_modules;
    std::vector<std::unique_ptr<Module>> unloaded_modules;
};
ModuleRegistry& module_registry() {
    // The registry is never destroyed, because the report at exit is written after the destructors
    // of static objects have run.
    static ModuleRegistry& instance = *new ModuleRegistry;
    return instance;
}

/// The maximum total size of a module's variables in bytes, as on hardware: the addresses of
/// variables span 2 GiB.
constexpr u64 kMaxVariableBytes = 2ull << 30;

/// Allocates device memory for every .global and .const variable, and writes the initial values
/// there.
void place_variables(Module& module, DeviceMemory& memory) {
    u64 total_bytes = 0;
    for (const auto& [name, variable] : module.ast->variables) {
        const bool is_constant = variable.space == ptx::StateSpace::constant;
        if ((variable.space != ptx::StateSpace::global && !is_constant) || variable.is_extern)
            continue;
        const AllocationKind kind = is_constant           ? AllocationKind::constant
                                    : variable.is_managed ? AllocationKind::managed
                                                          : AllocationKind::variable;
        const bool fits = variable.size <= kMaxVariableBytes - total_bytes;
        const u64 address =
            fits ? memory.allocate(std::max<u64>(variable.size, 1), kind, kernel_name(name)) : 0;
        if (!address)
            throw std::runtime_error("the variable " + name + " of " +
                                     std::to_string(variable.size) +
                                     " bytes does not fit into device memory");
        total_bytes += variable.size;
        module.variable_addresses[name] = address;
        module.owned_allocations.push_back(address);
        u8* bytes = memory.host_view(address, std::max<u64>(variable.size, 1));
        std::copy_n(variable.initial_bytes.begin(),
                    std::min<u64>(variable.initial_bytes.size(), variable.size), bytes);
        memory.mark_written(address, std::max<u64>(variable.size, 1));
    }
}

/// Returns the address of a shared variable, or nothing if no kernel uses the variable. Throws an
/// error if the address differs between kernels that use the variable. clang may turn an array of
/// such addresses into a constant, which ptxas rejects, so the program could not run on a real GPU.
std::optional<u64> find_shared_address(const Module& module, const std::string& name) {
    std::optional<u64> address;
    for (const auto& [kernel_name, kernel] : module.kernels) {
        const auto found = kernel->shared_offsets.find(name);
        if (found == kernel->shared_offsets.end()) continue;
        const u64 kernel_address = shared_window() + found->second;
        if (address && *address != kernel_address)
            throw std::runtime_error("an initial value contains the address of " + name +
                                     ", which is different in each kernel");
        address = kernel_address;
    }
    return address;
}

/// Fills in initial values that are addresses of other variables or of functions.
void fill_relocations(Module& module, DeviceMemory& memory) {
    const auto& functions = module.ast->functions;
    for (const auto& [name, variable] : module.ast->variables) {
        const auto address_entry = module.variable_addresses.find(name);
        if (address_entry == module.variable_addresses.end()) continue;
        for (const ptx::Relocation& relocation : variable.relocations) {
            u64 value = 0;
            const auto variable_entry = module.variable_addresses.find(relocation.symbol);
            const auto function_entry = functions.find(relocation.symbol);
            if (variable_entry != module.variable_addresses.end())
                value = variable_entry->second;
            else if (function_entry != functions.end())
                value = function_window() +
                        16 * static_cast<u64>(std::distance(functions.begin(), function_entry));
            else if (const auto shared_variable = find_shared_address(module, relocation.symbol))
                value =
                    relocation.is_generic ? *shared_variable : *shared_variable - shared_window();
            value += static_cast<u64>(relocation.addend);
            if (u8* bytes =
                    memory.host_view(address_entry->second + relocation.offset, relocation.bytes))
                std::memcpy(bytes, &value, relocation.bytes);
        }
    }
}

/// Adds the parameters to the names of overloads: "scale(int*)" and "scale(float*)".
void add_parameters_to_names(const Module& module) {
    std::map<std::string, std::vector<Kernel*>> kernels_of_name;
    for (const auto& [name, kernel] : module.kernels)
        kernels_of_name[kernel->display_name].push_back(kernel.get());
    for (const auto& [name, kernels] : kernels_of_name) {
        if (kernels.size() == 1) continue;
        for (Kernel* kernel : kernels) kernel->display_name = kernel_signature(kernel->name);
    }
}

void make_kernels(Module& module) {
    for (const auto& [name, function] : module.ast->functions) {
        if (!function->is_entry || !function->has_body) continue;
        auto kernel = std::make_unique<Kernel>();
        kernel->name = name;
        kernel->display_name = kernel_name(name);
        kernel->ast = function.get();
        kernel->module = &module;
        lay_out_kernel(*kernel);
        module.kernels[name] = std::move(kernel);
    }
    add_parameters_to_names(module);
}

}  // namespace

std::unique_ptr<Module> Device::load_module(std::string_view ptx_text, std::string& error) {
    return load_module(std::vector{std::string(ptx_text)}, error);
}

std::unique_ptr<Module> Device::load_module(const std::vector<std::string>& ptx_texts,
                                            std::string& error) {
    auto module = std::make_unique<Module>();
    try {
        std::vector<std::unique_ptr<ptx::Module>> files;
        for (const std::string& text : ptx_texts) files.push_back(ptx::parse(text));
        module->ast = ptx::link(std::move(files));
        for (const auto& [name, function] : module->ast->functions)
            order_blocks_for_reconvergence(*function);
        place_variables(*module, memory());
        make_kernels(*module);
        fill_relocations(*module, memory());
    } catch (const std::exception& exception) {
        error = exception.what();
        for (u64 address : module->owned_allocations) memory().free(address);
        return nullptr;
    }
    const std::lock_guard lock(module_registry().mutex);
    module_registry().loaded_modules.push_back(module.get());
    return module;
}

void Device::unload_module(Module& module) {
    for (u64 address : module.owned_allocations) memory().free(address);
    module.owned_allocations.clear();
    const std::lock_guard lock(module_registry().mutex);
    std::erase(module_registry().loaded_modules, &module);
    const bool was_launched =
        std::any_of(module.kernels.begin(), module.kernels.end(),
                    [](const auto& entry) { return entry.second->totals.was_launched(); });
    if (!was_launched) return;
    auto kept_module = std::make_unique<Module>(std::move(module));
    for (auto& [name, kernel] : kept_module->kernels) kernel->module = kept_module.get();
    module_registry().unloaded_modules.push_back(std::move(kept_module));
}

std::vector<const Kernel*> list_kernels() {
    const std::lock_guard lock(module_registry().mutex);
    std::vector<const Kernel*> kernels;
    for (const auto& module : module_registry().unloaded_modules)
        for (const auto& [name, kernel] : module->kernels) kernels.push_back(kernel.get());
    for (const Module* module : module_registry().loaded_modules)
        for (const auto& [name, kernel] : module->kernels) kernels.push_back(kernel.get());
    return kernels;
}

void clear_counters() {
    // All other code sees the kernels as read-only. Only this function resets their counters.
    for (const Kernel* kernel : list_kernels()) const_cast<Kernel*>(kernel)->totals.clear();
}

void delete_unloaded_modules() {
    const std::lock_guard lock(module_registry().mutex);
    module_registry().unloaded_modules.clear();
}

}  // namespace coalesce::simulator
