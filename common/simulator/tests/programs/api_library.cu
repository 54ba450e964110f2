// Tests kernels that are loaded at run time, from PTX in memory and from a file.
// expect: kernels in the library: 2
// expect: triple of 14: 42
// expect: through cudaLaunchKernelEx: 63
// expect: a global of 8 bytes: 1000 2000
// expect: a kernel saw the global: 3000
// expect: no such kernel: cudaErrorSymbolNotFound
// expect: no such global: cudaErrorSymbolNotFound
// expect: enumerated: 2 of 2
// expect: both libraries at once: 42 42
// expect: unloading: cudaSuccess
// expect: the other one still works: 42
// expect: no such file: cudaErrorFileNotFound
// expect: from a file: 42
#include <unistd.h>

#include <string>

#include "api_check.h"

static const char* const kText = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .global .align 4 .u32 pair[2] = {1000, 2000};
.visible .entry triple(.param .u64 out, .param .u32 value)
{
    .reg .b64 %rd<3>;
    .reg .b32 %r<3>;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [value];
    cvta.to.global.u64 %rd2, %rd1;
    mul.lo.s32 %r2, %r1, 3;
    st.global.u32 [%rd2], %r2;
    ret;
}
.visible .entry sum(.param .u64 out)
{
    .reg .b64 %rd<3>;
    .reg .b32 %r<4>;
    ld.param.u64 %rd1, [out];
    cvta.to.global.u64 %rd2, %rd1;
    ld.global.u32 %r1, [pair];
    ld.global.u32 %r2, [pair+4];
    add.s32 %r3, %r1, %r2;
    st.global.u32 [%rd2], %r3;
    ret;
}
)";

static int* out;

static int read_out() {
    int value = -1;
    need(cudaMemcpy(&value, out, sizeof value, cudaMemcpyDeviceToHost));
    need(cudaMemset(out, 0, sizeof value));
    return value;
}

static cudaKernel_t kernel_of(cudaLibrary_t library, const char* name) {
    cudaKernel_t kernel;
    need(cudaLibraryGetKernel(&kernel, library, name));
    return kernel;
}

static int triple(cudaLibrary_t library, int value) {
    void* arguments[] = {&out, &value};
    need(cudaLaunchKernel(reinterpret_cast<const void*>(kernel_of(library, "triple")), dim3(1),
                          dim3(1), arguments, 0, nullptr));
    return read_out();
}

static cudaLibrary_t load() {
    cudaLibrary_t library;
    need(cudaLibraryLoadData(&library, kText, nullptr, nullptr, 0, nullptr, nullptr, 0));
    return library;
}

static void from_file() {
    cudaLibrary_t library;
    result("no such file", cudaLibraryLoadFromFile(&library, "/no/such/file.ptx", nullptr, nullptr,
                                                   0, nullptr, nullptr, 0));
    const std::string name = "/tmp/coalesce_api_library_" + std::to_string(getpid()) + ".ptx";
    std::FILE* file = std::fopen(name.c_str(), "w");
    if (!file) return;
    std::fputs(kText, file);
    std::fclose(file);
    need(cudaLibraryLoadFromFile(&library, name.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    std::printf("from a file: %d\n", triple(library, 14));
    unlink(name.c_str());
    need(cudaLibraryUnload(library));
}

int main() {
    need(cudaMalloc(&out, sizeof(int)));
    cudaLibrary_t library = load();
    unsigned count = 0;
    need(cudaLibraryGetKernelCount(&count, library));
    std::printf("kernels in the library: %u\n", count);
    std::printf("triple of 14: %d\n", triple(library, 14));

    int value = 21;
    void* arguments[] = {&out, &value};
    cudaLaunchConfig_t config = {};
    config.gridDim = config.blockDim = dim3(1);
    need(cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(kernel_of(library, "triple")),
                             arguments));
    std::printf("through cudaLaunchKernelEx: %d\n", read_out());

    void* pair;
    size_t bytes = 0;
    int host[2] = {};
    need(cudaLibraryGetGlobal(&pair, &bytes, library, "pair"));
    need(cudaMemcpy(host, pair, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("a global of %zu bytes: %d %d\n", bytes, host[0], host[1]);
    need(cudaLaunchKernel(reinterpret_cast<const void*>(kernel_of(library, "sum")), dim3(1),
                          dim3(1), arguments, 0, nullptr));
    std::printf("a kernel saw the global: %d\n", read_out());

    cudaKernel_t kernels[2] = {};
    result("no such kernel", cudaLibraryGetKernel(kernels, library, "nothing"));
    result("no such global", cudaLibraryGetGlobal(&pair, &bytes, library, "nothing"));
    need(cudaLibraryEnumerateKernels(kernels, 2, library));
    std::printf("enumerated: %d of 2\n",
                (kernels[0] != nullptr) + (kernels[1] != nullptr && kernels[1] != kernels[0]));

    cudaLibrary_t second = load();
    const int first_result = triple(library, 14);
    std::printf("both libraries at once: %d %d\n", first_result, triple(second, 14));
    result("unloading", cudaLibraryUnload(library));
    std::printf("the other one still works: %d\n", triple(second, 14));
    need(cudaLibraryUnload(second));
    from_file();
    need(cudaFree(out));
}
