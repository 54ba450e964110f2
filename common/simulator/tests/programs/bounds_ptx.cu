// Tests PTX that is invalid, or that needs more memory than the device has. Loading or launching it
// must fail without allocating that memory.
// simulator only
// expect: not PTX: cudaErrorInvalidPtx
// expect: parameters of 2 GB: cudaErrorInvalidPtx
// expect: parameters of 2^63 bytes: cudaErrorInvalidPtx
// expect: two parameters of 2 GB: cudaErrorInvalidPtx
// expect: shared arrays of 4 GB: cudaErrorInvalidPtx
// expect: shared arrays of 49 KB: cudaErrorInvalidPtx
// expect: local arrays of 4 GB: cudaErrorInvalidPtx
// expect: global arrays of 2^40 bytes: cudaErrorInvalidPtx
// expect: 10^12 registers: cudaErrorInvalidPtx
// expect: a global array of 1 GB: cudaSuccess
// expect: an instruction without operands: cudaErrorUnsupportedPtxVersion
// expect: a vector of registers that are too narrow: cudaErrorUnsupportedPtxVersion
// expect: a guard that is a number: cudaErrorUnsupportedPtxVersion
// expect: an unknown instruction: cudaErrorUnsupportedPtxVersion
// expect: less than 800 MiB of the host: yes
// expect-stderr: the number of operands is wrong
// expect-exit: 2
#include <dlfcn.h>
#include <sys/resource.h>

#include <string>

#include "api_check.h"

static const std::string kHead = ".version 8.0\n.target sm_90\n.address_size 64\n";

/// Repairs the context for the next case, after an unsupported instruction has invalidated it.
static void fix() {
    reinterpret_cast<void (*)()>(dlsym(RTLD_DEFAULT, "coalesceClearError"))();
}

/// Loads the PTX text, and launches its kernel `k` with one pointer.
static cudaError_t run(const std::string& text) {
    cudaLibrary_t library;
    cudaError_t error =
        cudaLibraryLoadData(&library, text.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0);
    if (error != cudaSuccess) return error;
    cudaKernel_t kernel;
    need(cudaLibraryGetKernel(&kernel, library, "k"));
    void* pointer = nullptr;
    void* arguments[] = {&pointer, &pointer};
    error = cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(1), dim3(32), arguments, 0,
                             nullptr);
    if (error == cudaSuccess) error = cudaDeviceSynchronize();
    fix();
    need(cudaLibraryUnload(library));
    return error;
}

static cudaError_t with_parameters(const std::string& list) {
    return run(kHead + ".visible .entry k(" + list + ") { ret; }\n");
}

static cudaError_t with_variable(const std::string& declaration) {
    return run(kHead + ".visible .entry k(.param .u64 p) { " + declaration +
               " .reg .b64 %d<2>; mov.u64 %d1, a; ret; }\n");
}

static cudaError_t with_body(const std::string& body) {
    return run(kHead + ".visible .entry k(.param .u64 p) { .reg .b32 %r<4>; .reg .b64 %d<4>; " +
               body + " ret; }\n");
}

int main() {
    result("not PTX", run("this is not PTX"));
    result("parameters of 2 GB", with_parameters(".param .b8 p[2147483647]"));
    result("parameters of 2^63 bytes", with_parameters(".param .b8 p[9223372036854775807]"));
    result("two parameters of 2 GB",
           with_parameters(".param .b8 p[2147483648], .param .b8 q[2147483648]"));
    result("shared arrays of 4 GB", with_variable(".shared .b8 a[4294967295]; .shared .b8 b[4];"));
    result("shared arrays of 49 KB", with_variable(".shared .b8 a[50176];"));
    result("local arrays of 4 GB", with_variable(".local .b8 a[4294967296];"));
    result("global arrays of 2^40 bytes",
           run(kHead + ".global .b8 a[1099511627776];\n.visible .entry k() { ret; }\n"));
    result("10^12 registers", with_body(".reg .b32 %x<1000000000000>; mov.u32 %x999999999, 1;"));
    result("a global array of 1 GB",
           run(kHead + ".global .b8 a[1073741824];\n.visible .entry k() { ret; }\n"));
    result("an instruction without operands", with_body("ld.global.u32 %r1;"));
    result("a vector of registers that are too narrow",
           with_body("ld.global.v2.u64 {%r1, %r2}, [%d1];"));
    result("a guard that is a number", with_body("@%r1 mov.u32 %r2, 1;"));
    result("an unknown instruction", with_body("frobnicate.u32 %r1, %r1;"));
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    fact("less than 800 MiB of the host", usage.ru_maxrss < 800 * 1024);
}
