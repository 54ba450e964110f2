// Implements the functions that nvcc's host code calls before main, to register the program's
// device code and the names of its kernels and variables.
//
// Theory of operation
//   For every translation unit nvcc emits a constructor that calls
//     handle = __cudaRegisterFatBinary(&wrapper)
//     __cudaRegisterFunction(handle, address of the host stub, ..., mangled name, ...)   per kernel
//     __cudaRegisterVar / __cudaRegisterManagedVar(handle, address, ..., name, ...)  per variable
//     __cudaRegisterFatBinaryEnd(handle)
//   and registers __cudaUnregisterFatBinary(handle) with atexit. fatbin/format.h defines the
//   wrapper.
//   The handle is opaque to the program, so ours is a LoadedModule. Nothing is read yet.
//
//   With -rdc=true, the wrapper has version 2: its fatbin contains only machine code from the
//   device linker, and its last pointer refers to a null-terminated list of the fatbins of the
//   translation units. We run their PTX, linked by ptx/linker.h. The list also contains libraries
//   of the toolkit, which have only machine code.
//
//   Host code that accesses a __managed__ variable first calls __cudaInitModule(handle), and then
//   uses the pointer whose address it registered.
#include "simulator/cudart/api.h"
#include "simulator/cudart/modules.h"
#include "simulator/fatbin/format.h"

using namespace coalesce::simulator;
using namespace coalesce::simulator::cudart;

namespace {

LoadedModule& to_module(void** handle) {
    return *reinterpret_cast<LoadedModule*>(handle);
}

std::vector<const void*> list_images(const fatbin::FatbinWrapper& wrapper) {
    if (wrapper.magic != fatbin::kWrapperMagic) return {&wrapper};
    if (wrapper.version != fatbin::kLinkedWrapperVersion || !wrapper.prelinked_containers)
        return {wrapper.container};
    std::vector<const void*> images;
    auto next_image = static_cast<const void* const*>(wrapper.prelinked_containers);
    for (; *next_image; ++next_image) images.push_back(*next_image);
    return images;
}

}  // namespace

extern "C" {

void** __cudaRegisterFatBinary(void* wrapper) {
    LoadedModule& module = Modules::instance().add_module(
        list_images(*static_cast<const fatbin::FatbinWrapper*>(wrapper)));
    return reinterpret_cast<void**>(&module);
}

void __cudaRegisterFatBinaryEnd(void**) {}

/// Forgets the module's host addresses but keeps the module itself. The process is ending, and the
/// report still needs the names of the kernels.
void __cudaUnregisterFatBinary(void** handle) {
    if (handle) Modules::instance().forget_host_addresses(to_module(handle));
}

void __cudaRegisterFunction(void** handle, const char* host_function, char*, const char* name, int,
                            uint3*, uint3*, dim3*, dim3*, int*) {
    Modules::instance().add_kernel(to_module(handle), host_function, name);
}

void __cudaRegisterVar(void** handle, char* host_variable, char*, const char* name, int,
                       size_t bytes, int, int) {
    Modules::instance().add_variable(to_module(handle), host_variable, name, bytes, nullptr);
}

void __cudaRegisterManagedVar(void** handle, void** host_pointer, char*, const char* name, int,
                              size_t bytes, int, int) {
    Modules::instance().add_variable(to_module(handle), host_pointer, name, bytes, host_pointer);
}

char __cudaInitModule(void** handle) {
    CurrentCall call("__cudaInitModule");
    LoadedModule& module = to_module(handle);
    if (module.managed_variables.empty()) return 1;
    return catch_error([&] { Modules::instance().read_module(module); }) == cudaSuccess;
}

}  // extern "C"
