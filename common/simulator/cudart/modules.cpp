// See modules.h.
#include "simulator/cudart/modules.h"

#include <algorithm>

#include "simulator/base/device_model.h"
#include "simulator/base/linked_ptx.h"
#include "simulator/base/subjects.h"
#include "simulator/cudart/api.h"
#include "simulator/fatbin/fatbin.h"
#include "simulator/lowering/lower.h"
#include "simulator/report/gaps.h"

namespace coalesce::simulator::cudart {

u32 KernelHandle::dynamic_shared_limit() const {
    if (max_dynamic_shared_bytes >= 0) return static_cast<u32>(max_dynamic_shared_bytes);
    const u32 static_bytes = kernel->static_shared_bytes;
    return static_bytes < DeviceModel::shared_per_block
               ? DeviceModel::shared_per_block - static_bytes
               : 0;
}

Modules& Modules::instance() {
    // The object is never destroyed, because the program's own destructors may still call this
    // library while the process exits.
    static Modules& modules = *new Modules;
    return modules;
}

LoadedModule& Modules::add_module(std::vector<const void*> images) {
    std::lock_guard lock(mutex_);
    modules_.push_back(std::make_unique<LoadedModule>());
    modules_.back()->images = std::move(images);
    return *modules_.back();
}

void Modules::forget_host_addresses(LoadedModule& module) {
    std::lock_guard lock(mutex_);
    std::erase_if(kernel_of_host_address_,
                  [&](const auto& entry) { return entry.second->module == &module; });
    std::erase_if(variable_of_host_address_,
                  [&](const auto& entry) { return entry.second->module == &module; });
}

void Modules::add_kernel(LoadedModule& module, const void* host_function, const char* name) {
    std::lock_guard lock(mutex_);
    kernel_of_host_address_[host_function] = &get_or_create_kernel(module, name);
}

void Modules::add_variable(LoadedModule& module, const void* host_variable, const char* name,
                           u64 bytes, void** managed_pointer) {
    std::lock_guard lock(mutex_);
    auto* variable = new VariableHandle{&module, name, bytes, managed_pointer};
    variable_of_host_address_[host_variable] = variable;
    if (managed_pointer) module.managed_variables.push_back(variable);
}

// ---- finding kernels and variables ----

KernelHandle& Modules::find_kernel(const void* function) {
    require(function, cudaErrorInvalidDeviceFunction);
    std::lock_guard lock(mutex_);
    const auto found = kernel_of_host_address_.find(function);
    if (found != kernel_of_host_address_.end()) return *found->second;
    require(kernel_handles_.contains(function), cudaErrorInvalidResourceHandle);
    return *static_cast<KernelHandle*>(const_cast<void*>(function));
}

KernelHandle& Modules::find_prepared_kernel(const void* function) {
    KernelHandle& handle = find_kernel(function);
    prepare_kernel(handle);
    return handle;
}

VariableAddress Modules::find_variable(const void* host_variable) {
    std::lock_guard lock(mutex_);
    const auto found = variable_of_host_address_.find(host_variable);
    if (found != variable_of_host_address_.end())
        return find_variable_in_module(*found->second->module, found->second->name);
    // For a __managed__ variable x, the program's &x is the address that kernels use. It differs
    // from the registered address.
    for (const auto& [host_address, handle] : variable_of_host_address_) {
        if (handle->managed_pointer && *handle->managed_pointer == host_variable)
            return find_variable_in_module(*handle->module, handle->name);
    }
    fail(cudaErrorInvalidSymbol);
}

// ---- reading modules ----

void Modules::read_module(LoadedModule& module) {
    std::lock_guard lock(mutex_);
    if (module.module) return;
    if (module.error == cudaSuccess) read_locked_module(module);
    if (module.error == cudaErrorNotSupported) fail_not_supported(module.error_explanation);
    if (module.error != cudaSuccess) refuse(module.error_explanation, module.error);
}

/// Chooses the PTX to run from each image of a module. A module has one image per translation unit.
static std::vector<std::string> choose_ptx(LoadedModule& module) {
    std::vector<std::string> texts;
    for (const void* image : module.images) {
        std::vector<fatbin::PtxImage> found;
        try {
            found = module.is_library ? fatbin::read_image(image) : fatbin::read_ptx(image);
        } catch (const fatbin::FatbinError& error) {
            // With -rdc=true, the images include libraries of the toolkit (cudadevrt), which
            // contain only machine code.
            module.error_explanation = std::string("there is no PTX to run: ") + error.what() + ".";
            if (module.is_library) module.error_explanation += " With NVRTC, use nvrtcGetPTX.";
            continue;
        }
        if (const fatbin::PtxImage* chosen_image =
                fatbin::choose_image(found, DeviceModel::capability))
            for (std::string& ptx_input : split_linked_ptx(chosen_image->text))
                texts.push_back(std::move(ptx_input));
    }
    if (texts.empty())
        module.error = cudaErrorNoKernelImageForDevice;
    else
        module.error_explanation.clear();
    return texts;
}

/// Reports whether a kernel queries a property of a surface other than its size. An H100 refuses to
/// load such a module, with all its kernels.
static bool queries_surface_formats(const Module& module) {
    const auto& functions = module.ast->functions;
    return std::any_of(functions.begin(), functions.end(), [](const auto& entry) {
        const auto& body = entry.second->body;
        return std::any_of(body.begin(), body.end(), [](const ptx::Instruction& i) {
            const bool queries_size = i.has("width") || i.has("height") || i.has("depth");
            return i.opcode == "suq" && !queries_size;
        });
    });
}

void Modules::read_locked_module(LoadedModule& module) {
    const std::vector<std::string> texts = choose_ptx(module);
    if (texts.empty()) return;
    std::string problem;
    module.module = Device::instance().load_module(texts, problem);
    if (!module.module)
        return module.set_error(cudaErrorInvalidPtx, "the PTX cannot be loaded: " + problem + ".");
    if (queries_surface_formats(*module.module)) {
        unload_locked_module(module);
        return module.set_error(
            cudaErrorNotSupported,
            "code for this GPU cannot query the format or the layers of a surface (suq), so no "
            "kernel of this module can be launched. Pass these values to the kernel as arguments.");
    }
    for (const VariableHandle* variable : module.managed_variables) {
        const auto address_entry = module.module->variable_addresses.find(variable->name);
        if (address_entry == module.module->variable_addresses.end()) continue;
        *variable->managed_pointer = reinterpret_cast<void*>(address_entry->second);
        record_gap(Gap::host_accesses);
    }
}

void Modules::prepare_kernel(KernelHandle& handle) {
    std::lock_guard lock(mutex_);
    if (handle.kernel) return;
    read_module(*handle.module);
    handle.kernel = handle.module->module->kernel(handle.name);
    if (!handle.kernel)
        refuse("kernel " + handle.name + " is not in the PTX of its module.",
               cudaErrorInvalidDeviceFunction);
    // Lower the kernel now, because attributes and occupancy depend on its registers. If this
    // fails, the launch reports the error.
    lower_kernel(*handle.kernel);
}

VariableAddress Modules::find_variable_in_module(LoadedModule& module, const std::string& name) {
    std::lock_guard lock(mutex_);
    read_module(module);
    const auto address = module.module->variable_addresses.find(name);
    const auto declaration = module.module->ast->variables.find(name);
    require(address != module.module->variable_addresses.end() &&
                declaration != module.module->ast->variables.end(),
            module.is_library ? cudaErrorSymbolNotFound : cudaErrorInvalidSymbol);
    return {address->second, declaration->second.size};
}

// ---- libraries ----

LoadedModule& Modules::add_library(std::vector<char> file, const void* image) {
    std::lock_guard lock(mutex_);
    LoadedModule& library = add_module({});
    library.is_library = true;
    library.file = std::move(file);
    library.images = {library.file.empty() ? image : library.file.data()};
    loaded_libraries_.insert(&library);
    return library;
}

LoadedModule* Modules::library(cudaLibrary_t handle) {
    std::lock_guard lock(mutex_);
    const auto found = loaded_libraries_.find(reinterpret_cast<LoadedModule*>(handle));
    return found == loaded_libraries_.end() ? nullptr : *found;
}

KernelHandle& Modules::get_or_create_kernel(LoadedModule& library, const std::string& name) {
    std::lock_guard lock(mutex_);
    auto& handle = library.kernels[name];
    if (!handle) {
        handle = std::make_unique<KernelHandle>();
        handle->module = &library;
        handle->name = name;
        kernel_handles_.insert(handle.get());
    }
    return *handle;
}

void Modules::unload_library(LoadedModule& library) {
    std::lock_guard lock(mutex_);
    loaded_libraries_.erase(&library);
    for (const auto& [name, handle] : library.kernels) kernel_handles_.erase(handle.get());
    unload_locked_module(library);
    library.file = {};
}

void Modules::unload_locked_module(LoadedModule& module) {
    for (const auto& [name, handle] : module.kernels) handle->kernel = nullptr;
    if (!module.module) return;
    Device::instance().unload_module(*module.module);
    module.module.reset();
}

void Modules::unload_all() {
    std::lock_guard lock(mutex_);
    for (const auto& module : modules_) {
        // Keep modules with managed variables loaded, because the host looks up the addresses of
        // these variables only once.
        if (module->managed_variables.empty()) unload_locked_module(*module);
    }
}

}  // namespace coalesce::simulator::cudart
