// The program's device code: which host address stands for which kernel or variable, and the PTX
// modules behind them.
//
// Builds on  fatbin/ (takes the PTX out), Device::load (makes kernels of it).
// Idea       A module is read when something of it is first needed, so that a program starts as
//            fast as without us, and PTX that cannot be run is told where it is launched.
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

/// A kernel as the program names it: what a cudaKernel_t points to. Lives as long as the process.
struct KernelHandle {
    LoadedModule* module = nullptr;
    std::string name;          ///< as in the PTX
    Kernel* kernel = nullptr;  ///< once the module is read

    // What cudaFuncSetAttribute set.
    int max_dynamic_shared = -1;  ///< -1: not set, the rest of 48 KiB
    int carveout = -1;
    bool non_portable_cluster = false;
    Dim3 cluster{0, 0, 0};
    int cluster_policy = 0;

    /// Bytes of dynamic shared memory that a launch may ask for. The kernel is read.
    u32 dynamic_shared_limit() const;
};

struct VariableHandle {
    LoadedModule* module = nullptr;
    std::string name;
    u64 bytes = 0;
    void** managed_pointer = nullptr;  ///< __managed__: the host's variable that gets the address
};

struct LoadedModule {
    std::vector<const void*> images;  ///< fatbins, or one library image
    bool is_library = false;
    std::vector<char> file;  ///< of cudaLibraryLoadFromFile: what `images` points into

    std::map<std::string, std::unique_ptr<KernelHandle>> kernels;
    std::vector<VariableHandle*> managed;

    std::unique_ptr<Module> module;   ///< null until read
    cudaError_t error = cudaSuccess;  ///< why it cannot be read
    std::string problem;              ///< the same in words

    /// Notes why.
    void be_unreadable(cudaError_t why, const std::string& words) {
        error = why;
        problem = words;
    }
};

struct VariableAddress {
    u64 address = 0, bytes = 0;
};

/// All of it. Methods are thread-safe; handles are never destroyed. What is not there makes a call fail (api.h).
class Modules {
public:
    static Modules& instance();

    LoadedModule& add(std::vector<const void*> images);
    /// The program unregisters its fatbin: host addresses no longer mean anything.
    void forget_host_addresses(LoadedModule& module);
    void add_kernel(LoadedModule& module, const void* host_function, const char* name);
    void add_variable(LoadedModule& module, const void* host_variable, const char* name, u64 bytes,
                      void** managed_pointer);

    /// The handle for the address of a kernel's host stub, or for a cudaKernel_t. Not read yet.
    KernelHandle& find(const void* function);
    /// The same, and its module is read: its `kernel` is set.
    KernelHandle& find_ready(const void* function);
    VariableAddress find_variable(const void* host_variable);

    /// Reads the PTX and places the variables, once: afterwards `module.module` is set. A failure is explained.
    void read(LoadedModule& module);
    void make_ready(KernelHandle& handle);
    VariableAddress variable_of(LoadedModule& module, const std::string& name);

    LoadedModule& add_library(std::vector<char> file, const void* image);
    LoadedModule* library(cudaLibrary_t handle);
    KernelHandle& library_kernel(LoadedModule& library, const std::string& name);
    void unload_library(LoadedModule& library);

    /// cudaDeviceReset: modules are read again at their next use.
    void reset();

private:
    void read_locked(LoadedModule& module);
    void unload_locked(LoadedModule& module);

    std::recursive_mutex mutex_;
    std::vector<std::unique_ptr<LoadedModule>> modules_;
    std::map<const void*, KernelHandle*> functions_;    ///< by host address
    std::set<const void*> handles_;                     ///< every KernelHandle
    std::map<const void*, VariableHandle*> variables_;  ///< by host address
    std::set<LoadedModule*> libraries_;                 ///< those not unloaded
};

}  // namespace coalesce::simulator::cudart
