// A fatbin with machine code but no PTX cannot be loaded. Launching its kernel invalidates the
// context, because a GPU would have run the kernel, so later results may differ.
// simulator only
// expect: loading machine code: cudaErrorNoKernelImageForDevice
// expect: loading PTX that is not PTX: cudaErrorInvalidPtx
// expect: the rest of the device works: cudaSuccess
// expect: launching a kernel of machine code: cudaErrorNoKernelImageForDevice
// expect: the device afterwards: cudaErrorNoKernelImageForDevice
// expect-stderr: execution: unsupported in write
// expect-stderr: machine code
// expect-stderr: the PTX cannot be loaded
// expect-exit: 2
#include <cstdint>

#include "api_check.h"

/// A fatbin container with one 64-byte entry of kind 2 (ELF) for sm_90.
struct MachineCode {
    uint32_t magic = 0xBA55ED50;
    uint16_t version = 1, header_bytes = 16;
    uint64_t bytes = 64 + 64;
    uint16_t kind = 2, entry_version = 0x101;
    uint32_t entry_header_bytes = 64;
    uint64_t payload_bytes = 64;
    uint32_t compressed_bytes = 0, unused = 0, unknown = 0, arch = 90;
    uint64_t name = 0, flags = 0, more = 0, uncompressed_bytes = 0;
    char payload[64] = "\177ELF";
};
static_assert(sizeof(MachineCode) == 16 + 64 + 64);

static cudaError_t load(const void* image) {
    cudaLibrary_t library;
    return cudaLibraryLoadData(&library, image, nullptr, nullptr, 0, nullptr, nullptr, 0);
}

extern "C" {
void** __cudaRegisterFatBinary(void* wrapper);
void __cudaRegisterFunction(void** handle, const char* host_function, char*, const char* name, int,
                            uint3*, uint3*, dim3*, dim3*, int*);
}

/// Registers and launches a kernel `write`, as the compiler's host code does.
static cudaError_t launch(const void* image) {
    static struct {
        uint32_t magic = 0x466243b1, version = 1;
        const void *fatbin, *unused = nullptr;
    } wrapper;
    static const char stub = 0;
    wrapper.fatbin = image;
    void** handle = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(handle, &stub, nullptr, "_Z5writePi", -1, nullptr, nullptr, nullptr,
                           nullptr, nullptr);
    int* out = nullptr;
    void* arguments[] = {&out};
    return cudaLaunchKernel(&stub, dim3(1), dim3(1), arguments, 0, nullptr);
}

int main() {
    const MachineCode image;
    result("loading machine code", load(&image));
    result("loading PTX that is not PTX",
           load(".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k( { what; }"));
    result("the rest of the device works", cudaDeviceSynchronize());
    result("launching a kernel of machine code", launch(&image));
    result("the device afterwards", cudaDeviceSynchronize());
}
