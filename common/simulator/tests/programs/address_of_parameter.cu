// A device function takes the address of a by-value parameter. The parameter is then in local
// memory, from which `ld.param` must read its current value.
// expect: changed by its address: ok
// expect: in every call its own: ok
#include <string>

#include "check.h"

static const char* const kText = R"(
.version 8.0
.target sm_90
.address_size 64
.func (.param .b32 result) sum(.param .align 8 .b8 pair[16], .param .b32 depth)
{
    .param .align 8 .b8 handed[16];
    .param .b32 less, got;
    .reg .pred %p<2>;
    .reg .b32 %r<12>;
    .reg .b64 %rd<6>;
    mov.b64 %rd1, pair;
    ld.param.u32 %r1, [depth];
    ld.local.u32 %r2, [%rd1];
    add.u32 %r3, %r2, 1;
    st.local.u32 [%rd1], %r3;
    ld.local.u32 %r4, [%rd1+8];
    mov.u32 %r9, 0;
    setp.eq.u32 %p1, %r1, 0;
    @%p1 bra DONE;
    st.param.b32 [handed], %r3;
    st.param.b32 [handed+8], %r2;
    sub.u32 %r5, %r1, 1;
    st.param.b32 [less], %r5;
    call (got), sum, (handed, less);
    ld.param.b32 %r9, [got];
DONE:
    ld.param.u32 %r6, [pair];
    add.u32 %r7, %r6, %r4;
    add.u32 %r8, %r7, %r9;
    st.param.b32 [result], %r8;
    ret;
}
.visible .entry k(.param .u64 out, .param .u32 depth)
{
    .param .align 8 .b8 pair[16];
    .param .b32 deep, got;
    .reg .b32 %r<6>;
    .reg .b64 %rd<5>;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [depth];
    mov.u32 %r2, %tid.x;
    mul.wide.u32 %rd2, %r2, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.param.b32 [pair], %r2;
    st.param.b32 [pair+8], %r2;
    st.param.b32 [deep], %r1;
    call (got), sum, (pair, deep);
    ld.param.b32 %r3, [got];
    st.global.u32 [%rd3], %r3;
    ret;
}
)";

static std::vector<int> run(int depth) {
    cudaLibrary_t library;
    MUST(cudaLibraryLoadData(&library, kText, nullptr, nullptr, 0, nullptr, nullptr, 0));
    cudaKernel_t kernel;
    MUST(cudaLibraryGetKernel(&kernel, library, "k"));
    const DeviceArray<int> out(32);
    int* to = out;
    void* arguments[] = {&to, &depth};
    MUST(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(1), dim3(32), arguments, 0,
                          nullptr));
    return out.read();
}

static int sum(int a, int b, int depth) {
    return a + 1 + b + (depth ? sum(a + 1, a, depth - 1) : 0);
}

int main() {
    expect_equal("changed by its address", run(0),
                 for_threads<int>(32, [](int t) { return sum(t, t, 0); }));
    expect_equal("in every call its own", run(5),
                 for_threads<int>(32, [](int t) { return sum(t, t, 5); }));
}
