// Tests unusual loops: entered in the middle, entered at two points, and with copies of
// loop-carried values. The loops are in PTX, so that no compiler changes their layout.
// expect: entered in the middle: ok
// expect: two entries: ok
// expect: copies: ok
// expect: under a guard: ok
// expect: lanes together after the loop: ok
#include <string>

#include "check.h"

/// Runs a kernel of 32 threads. `%r1` is the thread's index, `%r2` its input and `%r9` its output.
static std::vector<unsigned> run(const std::string& body, const std::vector<unsigned>& input) {
    const std::string text = R"(
.version 7.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{
    .reg .pred %p<5>;
    .reg .b32 %r<20>;
    .reg .b64 %rd<10>;
    ld.param.u64 %rd1, [in];
    ld.param.u64 %rd2, [out];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd3, %r1, 4;
    add.s64 %rd4, %rd1, %rd3;
    add.s64 %rd5, %rd2, %rd3;
    ld.global.u32 %r2, [%rd4];
)" + body + R"(
    st.global.u32 [%rd5], %r9;
    ret;
}
)";
    cudaLibrary_t library;
    MUST(cudaLibraryLoadData(&library, text.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    cudaKernel_t kernel;
    MUST(cudaLibraryGetKernel(&kernel, library, "k"));
    const DeviceArray<unsigned> in(input), out(32);
    unsigned *from = in, *to = out;
    void* arguments[] = {&from, &to};
    MUST(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(1), dim3(32), arguments, 0,
                          nullptr));
    return out.read();
}

int main() {
    const auto input = for_threads<unsigned>(32, [](int t) { return t * 1000 + 7; });

    // MIDDLE loads %r3, and OUT uses it. In between, TOP runs and writes other registers.
    expect_equal(
        "entered in the middle",
        run(R"(
    mov.u32 %r4, 3;
    bra.uni MIDDLE;
TOP:
    add.s32 %r5, %r2, 100;
    xor.b32 %r6, %r5, %r4;
    add.s32 %r4, %r4, -1;
    setp.eq.u32 %p1, %r4, 0;
    @%p1 bra OUT;
MIDDLE:
    ld.global.u32 %r3, [%rd4];
    bra.uni TOP;
OUT:
    add.u32 %r9, %r3, %r6;)",
            input),
        for_threads<unsigned>(32, [&](int t) { return input[t] + ((input[t] + 100) ^ 1); }));

    // Even threads enter at ONE, and odd threads at TWO. The loop preserves %r7.
    expect_equal("two entries",
                 run(R"(
    mul.lo.u32 %r7, %r2, 5;
    mov.u32 %r4, 10;
    and.b32 %r3, %r1, 1;
    setp.ne.u32 %p1, %r3, 0;
    @%p1 bra TWO;
ONE:
    add.u32 %r5, %r4, %r2;
    xor.b32 %r2, %r5, 3;
TWO:
    mul.lo.u32 %r6, %r2, 3;
    add.u32 %r2, %r6, 1;
    sub.u32 %r4, %r4, 1;
    setp.gt.u32 %p2, %r4, %r1;
    @%p2 bra ONE;
    add.u32 %r9, %r2, %r7;)",
                     input),
                 for_threads<unsigned>(32, [&](int t) {
                     unsigned x = input[t], n = 10;
                     for (bool second = t & 1;; second = false) {
                         if (!second) x = (n + x) ^ 3;
                         x = x * 3 + 1;
                         if (!(--n > static_cast<unsigned>(t))) break;
                     }
                     return x + input[t] * 5;
                 }));

    // %r5 holds the value of %r4 from the last odd iteration, and %r6 is a copy of %r5.
    expect_equal("copies",
                 run(R"(
    mov.u32 %r3, 0;
AGAIN:
    add.u32 %r4, %r2, %r3;
    and.b32 %r7, %r3, 3;
    setp.ne.u32 %p1, %r7, 1;
    @%p1 bra NEXT;
    mov.u32 %r5, %r4;
    mov.b32 %r6, %r5;
NEXT:
    add.u32 %r3, %r3, 1;
    setp.lt.u32 %p2, %r3, 8;
    @%p2 bra AGAIN;
    sub.u32 %r9, %r4, %r6;)",
                     input),
                 for_threads<unsigned>(32, [](int) { return 2u; }));

    // The guard is true for one lane. The other lanes keep their old values.
    expect_equal("under a guard",
                 run(R"(
    mov.u32 %r9, %r2;
    mov.u32 %r3, 0;
LOOP:
    add.u32 %r4, %r3, 500;
    setp.eq.u32 %p1, %r3, %r1;
    @%p1 mov.u32 %r9, %r4;
    add.u32 %r3, %r3, 1;
    setp.lt.u32 %p2, %r3, 20;
    @%p2 bra LOOP;)",
                     input),
                 for_threads<unsigned>(32, [&](int t) { return t < 20 ? t + 500u : input[t]; }));

    // Thread t leaves the loop after t + 1 iterations. No label follows the loop's only exit.
    expect_equal("lanes together after the loop",
                 run(R"(
    mov.u32 %r4, 0;
AGAIN:
    add.u32 %r4, %r4, 1;
    setp.le.u32 %p1, %r4, %r1;
    @%p1 bra AGAIN;
    activemask.b32 %r9;)",
                     input),
                 for_threads<unsigned>(32, [](int) { return ~0u; }));
}
