// PTX of every version and for every GPU that nvcc supports must load and run, unless it needs a
// newer GPU. The target does not affect the simulated device, whose version is always 9.0.
// simulator only
// expect: 16 targets in 8 versions: 0 do not run
// expect: without a version: cudaErrorInvalidPtx
// expect: the device: 9.0
#include <string>

#include "api_check.h"

/// Returns the PTX of a kernel that writes 42.
std::string text_for(const std::string& version, const std::string& target) {
    return version + "\n.target " + target +
           "\n.address_size 64\n.visible .entry write(.param .u64 out)\n{\n.reg .b64 %rd<3>;\n.reg "
           ".b32 %r<2>;\n"
           "ld.param.u64 %rd1, [out];\ncvta.to.global.u64 %rd2, %rd1;\nmov.u32 %r1, 42;\n"
           "st.global.u32 [%rd2], %r1;\nret;\n}\n";
}

bool runs(const std::string& text) {
    int *out, host = 0;
    cudaLibrary_t library;
    cudaKernel_t kernel;
    need(cudaMalloc(&out, sizeof *out));
    need(cudaLibraryLoadData(&library, text.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    need(cudaLibraryGetKernel(&kernel, library, "write"));
    void* arguments[] = {&out};
    need(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(1), dim3(1), arguments, 0,
                          nullptr));
    need(cudaMemcpy(&host, out, sizeof host, cudaMemcpyDeviceToHost));
    need(cudaLibraryUnload(library));
    need(cudaFree(out));
    return host == 42;
}

int main() {
    const char* const targets[] = {
        "sm_70",  "sm_75",  "sm_80",   "sm_86",   "sm_87",  "sm_88",  "sm_89",          "sm_90",
        "sm_90a", "sm_100", "sm_100a", "sm_100f", "sm_103", "sm_110", "sm_120a, debug", "sm_121f"};
    const char* const versions[] = {"6.4", "7.0", "8.0", "8.4", "8.8", "9.0", "9.1", "9.9"};
    int failures = 0;
    for (const char* target : targets)
        for (const char* version : versions)
            failures += !runs(text_for(std::string(".version ") + version, target));
    std::printf("%zu targets in %zu versions: %d do not run\n", std::size(targets),
                std::size(versions), failures);

    cudaLibrary_t library;
    const std::string bad = text_for("", "sm_100");
    result("without a version",
           cudaLibraryLoadData(&library, bad.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    cudaDeviceProp device;
    need(cudaGetDeviceProperties(&device, 0));
    std::printf("the device: %d.%d\n", device.major, device.minor);
}
