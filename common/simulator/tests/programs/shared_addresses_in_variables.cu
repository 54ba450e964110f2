// Tests variables whose initial values are addresses of shared memory. clang emits such variables
// for `float* tiles[2] = {one, other}`, but ptxas rejects them.
// simulator only
// expect: from static shared memory 7, from dynamic 8
#include "check.h"

static const char* const kText = R"(
.version 8.0
.target sm_90
.address_size 64
.shared .align 16 .b8 one[64];
.extern .shared .align 16 .b8 other[];
.global .align 8 .u64 addresses[2] = {generic(one)+4, generic(other)+12};
.visible .entry through_the_table(.param .u64 out)
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<6>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, 7;
    st.shared.u32 [one+4], %r1;
    mov.u32 %r1, 8;
    st.shared.u32 [other+12], %r1;
    mov.u64 %rd2, addresses;
    ld.global.u64 %rd3, [%rd2];
    ld.u32 %r2, [%rd3];
    st.global.u32 [%rd1], %r2;
    ld.global.u64 %rd4, [%rd2+8];
    ld.u32 %r3, [%rd4];
    st.global.u32 [%rd1+4], %r3;
    ret;
}
)";

int main() {
    cudaLibrary_t library;
    MUST(cudaLibraryLoadData(&library, kText, nullptr, nullptr, 0, nullptr, nullptr, 0));
    cudaKernel_t kernel;
    MUST(cudaLibraryGetKernel(&kernel, library, "through_the_table"));
    DeviceArray<int> out(2);
    int* pointer = out;
    void* arguments[] = {&pointer};
    MUST(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(1), dim3(1), arguments, 16,
                          nullptr));
    const std::vector<int> held = out.read();
    std::printf("from static shared memory %d, from dynamic %d\n", held[0], held[1]);
}
