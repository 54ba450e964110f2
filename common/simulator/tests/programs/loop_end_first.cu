// A loop whose end stands before its beginning in the text, as clang likes to lay it out: what is
// carried from one turn to the next is mentioned first where another value of the loop has just died.
// expect: turns 0 1 2 3 4 5 6, then 7
#include "check.h"

static const char* const kText = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry turns(.param .u64 out, .param .u32 count)
{
    .reg .pred %p<3>;
    .reg .b32 %r<6>;
    .reg .b64 %rd<5>;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [count];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u32 %r2, %tid.x;
    mov.u32 %r3, %r2;
    bra.uni BEGIN;
END:
    add.s32 %r4, %r2, %r3;
    sub.s32 %r2, %r4, %r3;
    setp.lt.s32 %p1, %r5, %r1;
    mov.u32 %r3, %r5;
    @%p1 bra BEGIN;
    bra.uni OUT;
BEGIN:
    add.s32 %r5, %r3, 1;
    mul.wide.s32 %rd3, %r3, 4;
    add.s64 %rd4, %rd2, %rd3;
    st.global.u32 [%rd4], %r3;
    bra.uni END;
OUT:
    mul.wide.s32 %rd3, %r3, 4;
    add.s64 %rd4, %rd2, %rd3;
    st.global.u32 [%rd4], %r3;
    ret;
}
)";

int main() {
    cudaLibrary_t library;
    MUST(cudaLibraryLoadData(&library, kText, nullptr, nullptr, 0, nullptr, nullptr, 0));
    cudaKernel_t kernel;
    MUST(cudaLibraryGetKernel(&kernel, library, "turns"));
    DeviceArray<int> out(8);
    int* pointer = out;
    int count = 7;
    void* arguments[] = {&pointer, &count};
    MUST(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(1), dim3(1), arguments, 0,
                          nullptr));
    const std::vector<int> turns = out.read();
    std::printf("turns");
    for (int k = 0; k < count; ++k) std::printf(" %d", turns[k]);
    std::printf(", then %d\n", turns[count]);
}
