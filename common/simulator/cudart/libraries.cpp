// Loads device code at run time: cudaLibraryLoadData and related functions.
//
// Unlike the program's own code, a library is read immediately, so that the call that loads invalid
// PTX returns the error itself (NVIDIA's library does the same with CUDA_MODULE_LOADING=EAGER). Of
// the JIT options, only the buffer for error messages has an effect here.
#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

#include "simulator/cudart/api.h"
#include "simulator/cudart/modules.h"

using namespace coalesce::simulator;
using namespace coalesce::simulator::cudart;

namespace {

/// The options for loading a library: parallel lists of names and values.
struct JitOptions {
    const cudaJitOption* option_names = nullptr;
    void** option_values = nullptr;
    unsigned option_count = 0;

    /// Returns the address of the option's value, or null if the option was not given.
    void** find(cudaJitOption option) const {
        if (!option_names || !option_values) return nullptr;
        const cudaJitOption* found = std::find(option_names, option_names + option_count, option);
        return found == option_names + option_count ? nullptr
                                                    : option_values + (found - option_names);
    }
};

/// Writes `text` to the log buffer that the option `buffer_option` specifies, and stores the number
/// of bytes written in the option `size_option`.
void write_log(const JitOptions& options, cudaJitOption buffer_option, cudaJitOption size_option,
               const std::string& text) {
    void** const begin = options.find(buffer_option);
    void** const bytes = options.find(size_option);
    if (!begin || !*begin || !bytes || reinterpret_cast<u64>(*bytes) == 0) return;
    const u64 capacity = reinterpret_cast<u64>(*bytes) - 1;
    const u64 length = std::min<u64>(capacity, text.size());
    std::memcpy(*begin, text.data(), length);
    static_cast<char*>(*begin)[length] = '\0';
    *bytes = reinterpret_cast<void*>(length == 0 ? 0 : length + 1);
}

void load_library(cudaLibrary_t* library, std::vector<char> file, const void* image,
                  const JitOptions& options) {
    LoadedModule& module = Modules::instance().add_library(std::move(file), image);
    const cudaError_t error = catch_error([&] { Modules::instance().read_module(module); });
    write_log(options, cudaJitInfoLogBuffer, cudaJitInfoLogBufferSizeBytes, "");
    write_log(options, cudaJitErrorLogBuffer, cudaJitErrorLogBufferSizeBytes,
              error == cudaSuccess ? "" : module.error_explanation);
    if (error != cudaSuccess) Modules::instance().unload_library(module);
    require_success(error);
    *library = reinterpret_cast<cudaLibrary_t>(&module);
}

LoadedModule& find_library(cudaLibrary_t handle) {
    LoadedModule* library = Modules::instance().library(handle);
    require(library, cudaErrorInvalidResourceHandle);
    // The library was read when it was loaded, and must be read again only if the device has been
    // reset since.
    Modules::instance().read_module(*library);
    return *library;
}

cudaKernel_t find_kernel_in_library(LoadedModule& library, const std::string& name) {
    return reinterpret_cast<cudaKernel_t>(&Modules::instance().get_or_create_kernel(library, name));
}

void store_variable(void** address, size_t* bytes, cudaLibrary_t handle, const char* name,
                    bool is_managed) {
    require(name && (address || bytes));
    const VariableAddress found =
        Modules::instance().find_variable_in_module(find_library(handle), name);
    const auto allocation = Device::instance().memory().find(found.address);
    require(!is_managed || (allocation && allocation->kind == AllocationKind::managed),
            cudaErrorSymbolNotFound);
    if (address) *address = reinterpret_cast<void*>(found.address);
    if (bytes) *bytes = found.bytes;
}

}  // namespace

cudaError_t cudaLibraryLoadData(cudaLibrary_t* library, const void* code, cudaJitOption* options,
                                void** values, unsigned count, cudaLibraryOption*, void**,
                                unsigned) {
    return run_device_call(__func__, [&] {
        require(library && code);
        load_library(library, {}, code, {options, values, count});
    });
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t* library, const char* name,
                                    cudaJitOption* options, void** values, unsigned count,
                                    cudaLibraryOption*, void**, unsigned) {
    return run_device_call(__func__, [&] {
        require(library && name);
        std::ifstream stream(name, std::ios::binary);
        if (!stream)
            refuse(std::string("the file ") + name + " cannot be read.", cudaErrorFileNotFound);
        std::vector<char> file(std::istreambuf_iterator<char>(stream), {});
        file.push_back('\0');  // PTX text must end with a null character
        load_library(library, std::move(file), nullptr, {options, values, count});
    });
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
    return run_device_call(__func__,
                           [&] { Modules::instance().unload_library(find_library(library)); });
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t* kernel, cudaLibrary_t handle, const char* name) {
    return run_device_call(__func__, [&] {
        require(kernel && name);
        LoadedModule& library = find_library(handle);
        require(library.module->kernel(name), cudaErrorSymbolNotFound);
        *kernel = find_kernel_in_library(library, name);
    });
}

cudaError_t cudaLibraryGetKernelCount(unsigned* count, cudaLibrary_t handle) {
    return run_device_call(__func__, [&] {
        require(count);
        *count = static_cast<unsigned>(find_library(handle).module->kernels.size());
    });
}

cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t* kernels, unsigned count,
                                        cudaLibrary_t handle) {
    return run_device_call(__func__, [&] {
        require(kernels && count > 0);
        LoadedModule& library = find_library(handle);
        unsigned stored_count = 0;
        for (const auto& [name, kernel] : library.module->kernels) {
            if (stored_count == count) break;
            kernels[stored_count++] = find_kernel_in_library(library, name);
        }
    });
}

cudaError_t cudaLibraryGetGlobal(void** address, size_t* bytes, cudaLibrary_t library,
                                 const char* name) {
    return run_device_call(__func__, [&] { store_variable(address, bytes, library, name, false); });
}

cudaError_t cudaLibraryGetManaged(void** address, size_t* bytes, cudaLibrary_t library,
                                  const char* name) {
    return run_device_call(__func__, [&] { store_variable(address, bytes, library, name, true); });
}
