// Tests a loop whose end precedes its beginning in the text, which clang often generates. In the
// text, the last use of one value precedes the first mention of a loop-carried value. Lanes that
// skip the rest of an iteration must wait for the other lanes at its end, as in other layouts.
// expect: turns 0 1 2 3 4 5 6, then 7
// expect: lanes together at the end of a turn: 32 32 32 32
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
.visible .entry skips(.param .u64 out, .param .u32 count)
{
    .reg .pred %p<3>;
    .reg .b32 %r<8>;
    .reg .b64 %rd<5>;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [count];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u32 %r2, %tid.x;
    mov.u32 %r3, 0;
    bra.uni BEGIN;
END:
    activemask.b32 %r4;
    popc.b32 %r5, %r4;
    mul.wide.s32 %rd3, %r3, 4;
    add.s64 %rd4, %rd2, %rd3;
    st.global.u32 [%rd4+128], %r5;
    add.s32 %r3, %r3, 1;
    setp.lt.s32 %p1, %r3, %r1;
    @%p1 bra BEGIN;
    bra.uni OUT;
BEGIN:
    shr.u32 %r6, %r2, %r3;
    and.b32 %r7, %r6, 1;
    setp.eq.s32 %p2, %r7, 0;
    @%p2 bra END;
    mul.wide.s32 %rd3, %r2, 4;
    add.s64 %rd4, %rd2, %rd3;
    st.global.u32 [%rd4], %r3;
    bra.uni END;
OUT:
    ret;
}
)";

static std::vector<int> run(cudaLibrary_t library, const char* name, unsigned threads, int count) {
    cudaKernel_t kernel;
    MUST(cudaLibraryGetKernel(&kernel, library, name));
    DeviceArray<int> out(64);
    int* pointer = out;
    void* arguments[] = {&pointer, &count};
    MUST(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(1), dim3(threads), arguments,
                          0, nullptr));
    return out.read();
}

int main() {
    cudaLibrary_t library;
    MUST(cudaLibraryLoadData(&library, kText, nullptr, nullptr, 0, nullptr, nullptr, 0));
    const int count = 7, skips = 4;
    const std::vector<int> turns = run(library, "turns", 1, count);
    std::printf("turns");
    for (int k = 0; k < count; ++k) std::printf(" %d", turns[k]);
    std::printf(", then %d\n", turns[count]);

    const std::vector<int> lanes = run(library, "skips", 32, skips);
    std::printf("lanes together at the end of a turn:");
    for (int k = 0; k < skips; ++k) std::printf(" %d", lanes[32 + k]);
    std::printf("\n");
}
