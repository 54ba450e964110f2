// Declares the program's device code: the kernels and variables, which the program identifies by
// host addresses, and their PTX modules.
//
// Builds on  fatbin/ (extracts the PTX), Device::load_module (makes kernels from it).
// Idea       A module is read when one of its kernels or variables is first needed. Programs
//            therefore start as fast as without the simulator. PTX that the simulator cannot run is
//            reported only if the program launches one of its kernels.
#pragma once

#include <cuda_runtime_api.h>

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "simulator/device/device.h"

namespace coalesce::simulator::cudart {

struct LoadedModule;

/// The object that a cudaKernel_t points to. It exists until the process ends.
struct KernelHandle {
    LoadedModule* module = nullptr;
    std::string name;          ///< the kernel's name in the PTX
    Kernel* kernel = nullptr;  ///< the kernel, or null until the module has been read

    // The values set by cudaFuncSetAttribute. If the program has not set
    // `max_dynamic_shared_bytes`, the value is -1, and the limit is 48 KiB minus the static shared
    // memory.
    int max_dynamic_shared_bytes = -1;
    int shared_carveout = -1;
    bool allows_nonportable_cluster = false;
    Dim3 cluster{0, 0, 0};
    int cluster_policy = 0;

    /// Returns the maximum dynamic shared memory of a launch, in bytes. The kernel's module must
    /// have been read.
    u32 dynamic_shared_limit() const;
};

struct VariableHandle {
    LoadedModule* module = nullptr;
    std::string name;
    u64 bytes = 0;
    /// For a __managed__ variable, the pointer in host memory that receives the variable's address.
    /// Null for other variables.
    void** managed_pointer = nullptr;
};

struct LoadedModule {
    std::vector<const void*> images;  ///< the fatbins of the module, or the only image of a library
    bool is_library = false;
    /// The contents of the file that cudaLibraryLoadFromFile has read. `images` points to them.
    std::vector<char> file;

    std::map<std::string, std::unique_ptr<KernelHandle>> kernels;
    std::vector<VariableHandle*> managed_variables;

    std::unique_ptr<Module> module;   ///< null until the module is read
    cudaError_t error = cudaSuccess;  ///< the reason why the module cannot be read, or cudaSuccess
    std::string error_explanation;    ///< an explanation of `error`

    /// Records why the module cannot be read: the error that calls return, and an explanation.
    void set_error(cudaError_t cause, const std::string& explanation) {
        error = cause;
        error_explanation = explanation;
    }
};

struct VariableAddress {
    u64 address = 0, bytes = 0;
};

/// All modules of the program. The methods are thread-safe, and fail (api.h) if a kernel or
/// variable is missing. Handles are never destroyed.
class Modules {
public:
    static Modules& instance();

    LoadedModule& add_module(std::vector<const void*> images);
    /// Removes the host addresses of a module whose fatbin the program unregisters.
    void forget_host_addresses(LoadedModule& module);
    void add_kernel(LoadedModule& module, const void* host_function, const char* name);
    void add_variable(LoadedModule& module, const void* host_variable, const char* name, u64 bytes,
                      void** managed_pointer);

    /// Returns the handle for `function`, which is either the address of a kernel's host stub or a
    /// cudaKernel_t. The kernel's module may not have been read yet.
    KernelHandle& find_kernel(const void* function);
    /// Returns the same handle as find_kernel(), but reads the kernel's module first, so that
    /// KernelHandle::kernel is set.
    KernelHandle& find_prepared_kernel(const void* function);
    VariableAddress find_variable(const void* host_variable);

    /// Reads the module's PTX, allocates its variables and sets `module.module`. Does nothing if
    /// the module has already been read. If it cannot be read, explains why.
    void read_module(LoadedModule& module);
    void prepare_kernel(KernelHandle& handle);
    VariableAddress find_variable_in_module(LoadedModule& module, const std::string& name);

    LoadedModule& add_library(std::vector<char> file, const void* image);
    LoadedModule* library(cudaLibrary_t handle);
    KernelHandle& get_or_create_kernel(LoadedModule& library, const std::string& name);
    void unload_library(LoadedModule& library);

    /// Unloads all modules, for cudaDeviceReset. A module is read again when it is next used.
    void unload_all();

private:
    void read_locked_module(LoadedModule& module);
    void unload_locked_module(LoadedModule& module);

    std::recursive_mutex mutex_;
    std::vector<std::unique_ptr<LoadedModule>> modules_;
    std::map<const void*, KernelHandle*> kernel_of_host_address_;  ///< kernels by host address
    /// The addresses of all KernelHandles, to recognize valid handles.
    std::set<const void*> kernel_handles_;
    /// Variables by host address.
    std::map<const void*, VariableHandle*> variable_of_host_address_;
    std::set<LoadedModule*> loaded_libraries_;  ///< the libraries that are loaded
};

}  // namespace coalesce::simulator::cudart
