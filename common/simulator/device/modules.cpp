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
    std::vector<Module*> loaded;
    std::vector<std::unique_ptr<Module>> unloaded;
};
ModuleRegistry& registry() {
    // The registry is never destroyed, because the report at exit is written after the destructors
    // of static objects have run.
    static ModuleRegistry& r = *new ModuleRegistry;
    return r;
}

/// The maximum total size of a module's variables in bytes, as on hardware: the addresses of
/// variables span 2 GiB.
constexpr u64 kMaxVariableBytes = 2ull << 30;

/// Allocates device memory for every .global and .const variable, and writes the initial values
/// there.
void place_variables(Module& module, DeviceMemory& memory) {
    u64 total = 0;
    for (const auto& [name, v] : module.ast->variables) {
        const bool constant = v.space == ptx::StateSpace::constant;
        if ((v.space != ptx::StateSpace::global && !constant) || v.is_extern) continue;
        const AllocationKind kind = constant       ? AllocationKind::constant
                                    : v.is_managed ? AllocationKind::managed
                                                   : AllocationKind::variable;
        const bool fits = v.size <= kMaxVariableBytes - total;
        const u64 address =
            fits ? memory.allocate(std::max<u64>(v.size, 1), kind, kernel_name(name)) : 0;
        if (!address)
            throw std::runtime_error("the variable " + name + " of " + std::to_string(v.size) +
                                     " bytes does not fit into device memory");
        total += v.size;
        module.variable_addresses[name] = address;
        module.owned.push_back(address);
        u8* bytes = memory.host_view(address, std::max<u64>(v.size, 1));
        std::copy_n(v.initial.begin(), std::min<u64>(v.initial.size(), v.size), bytes);
        memory.mark_written(address, std::max<u64>(v.size, 1));
    }
}

/// Returns the address of a shared variable, or nothing if no kernel uses the variable. Throws an
/// error if the address differs between kernels that use the variable. clang may turn an array of
/// such addresses into a constant, which ptxas rejects, so the program could not run on a real GPU.
std::optional<u64> shared_address(const Module& module, const std::string& name) {
    std::optional<u64> address;
    for (const auto& [kernel_name, kernel] : module.kernels) {
        const auto found = kernel->shared_offsets.find(name);
        if (found == kernel->shared_offsets.end()) continue;
        const u64 here = shared_window() + found->second;
        if (address && *address != here)
            throw std::runtime_error("an initial value contains the address of " + name +
                                     ", which is different in each kernel");
        address = here;
    }
    return address;
}

/// Fills in initial values that are addresses of other variables or of functions.
void relocate(Module& module, DeviceMemory& memory) {
    const auto& functions = module.ast->functions;
    for (const auto& [name, v] : module.ast->variables) {
        const auto placed = module.variable_addresses.find(name);
        if (placed == module.variable_addresses.end()) continue;
        for (const ptx::Relocation& r : v.relocations) {
            u64 value = 0;
            const auto variable = module.variable_addresses.find(r.symbol);
            const auto function = functions.find(r.symbol);
            if (variable != module.variable_addresses.end())
                value = variable->second;
            else if (function != functions.end())
                value = function_window() +
                        16 * static_cast<u64>(std::distance(functions.begin(), function));
            else if (const auto shared = shared_address(module, r.symbol))
                value = r.generic ? *shared : *shared - shared_window();
            value += static_cast<u64>(r.addend);
            if (u8* bytes = memory.host_view(placed->second + r.offset, r.bytes))
                std::memcpy(bytes, &value, r.bytes);
        }
    }
}

/// Adds the parameters to the names of overloads: "scale(int*)" and "scale(float*)".
void name_overloads(const Module& module) {
    std::map<std::string, std::vector<Kernel*>> by_name;
    for (const auto& [name, kernel] : module.kernels)
        by_name[kernel->demangled].push_back(kernel.get());
    for (const auto& [name, kernels] : by_name) {
        if (kernels.size() == 1) continue;
        for (Kernel* kernel : kernels) kernel->demangled = kernel_signature(kernel->name);
    }
}

void make_kernels(Module& module) {
    for (const auto& [name, function] : module.ast->functions) {
        if (!function->is_entry || !function->has_body) continue;
        auto kernel = std::make_unique<Kernel>();
        kernel->name = name;
        kernel->demangled = kernel_name(name);
        kernel->ast = function.get();
        kernel->module = &module;
        describe_kernel(*kernel);
        module.kernels[name] = std::move(kernel);
    }
    name_overloads(module);
}

}  // namespace

std::unique_ptr<Module> Device::load(std::string_view ptx_text, std::string& error) {
    return load(std::vector{std::string(ptx_text)}, error);
}

std::unique_ptr<Module> Device::load(const std::vector<std::string>& ptx_texts,
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
        relocate(*module, memory());
    } catch (const std::exception& e) {
        error = e.what();
        for (u64 address : module->owned) memory().free(address);
        return nullptr;
    }
    const std::lock_guard lock(registry().mutex);
    registry().loaded.push_back(module.get());
    return module;
}

void Device::unload(Module& module) {
    for (u64 address : module.owned) memory().free(address);
    module.owned.clear();
    const std::lock_guard lock(registry().mutex);
    std::erase(registry().loaded, &module);
    const bool ran =
        std::any_of(module.kernels.begin(), module.kernels.end(),
                    [](const auto& entry) { return entry.second->totals.was_launched(); });
    if (!ran) return;
    auto kept = std::make_unique<Module>(std::move(module));
    for (auto& [name, kernel] : kept->kernels) kernel->module = kept.get();
    registry().unloaded.push_back(std::move(kept));
}

std::vector<const Kernel*> all_kernels() {
    const std::lock_guard lock(registry().mutex);
    std::vector<const Kernel*> kernels;
    for (const auto& m : registry().unloaded)
        for (const auto& [name, kernel] : m->kernels) kernels.push_back(kernel.get());
    for (const Module* m : registry().loaded)
        for (const auto& [name, kernel] : m->kernels) kernels.push_back(kernel.get());
    return kernels;
}

void clear_counters() {
    // All other code sees the kernels as read-only. Only this function resets their counters.
    for (const Kernel* kernel : all_kernels()) const_cast<Kernel*>(kernel)->totals.clear();
}

void forget_unloaded_kernels() {
    const std::lock_guard lock(registry().mutex);
    registry().unloaded.clear();
}

}  // namespace coalesce::simulator
