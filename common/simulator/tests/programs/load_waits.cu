// Counts how often a warp waits for loads from global memory, by the rules of ptxas/load_waits.h.
// Kernels are in PTX, so that nothing is reordered. One warp runs, unless a line states otherwise.
// simulator only
//
// Loads whose values go to shared memory do not wait for each other.
// expect: four loads, stored to shared memory: 4 loads, 1 waits
// expect: ... and a barrier after each: 4 loads, 4 waits
// expect: ... and a barrier of the warp after each: 4 loads, 4 waits
// expect: ... by two warps: 8 loads, 2 waits
// expect: ... each behind a branch ahead: 4 loads, 1 waits
// expect: ... each with a predicate: 4 loads, 1 waits
// expect: ... with a predicate that is false: 0 loads, 0 waits
// expect: ... copied, packed and taken apart before: 4 loads, 1 waits
// expect: two loads of four elements: 1 loads, 1 waits
// expect: a loop of four turns: 4 loads, 4 waits
// expect: a loop that passes while a load is pending: 1 loads, 1 waits
// An instruction waits for a loaded value if it computes with the value or uses it as an address.
// expect: arithmetic after each of two: 2 loads, 2 waits
// expect: arithmetic after both: 2 loads, 1 waits
// expect: an address that was loaded: 2 loads, 2 waits
// expect: a place in shared memory that was loaded: 1 loads, 2 waits
// Stores to global memory delay loads that may read the stored values.
// expect: copies through one register after the other: 4 loads, 4 waits
// expect: ... of what nobody writes: 4 loads, 1 waits
// expect: ... all loads first: 4 loads, 1 waits
// expect: ... in a loop, of what nobody writes: 4 loads, 4 waits
// Other cases. The simulator does not count unused loads, because ptxas removes them.
// expect: a fence between two: 2 loads, 2 waits
// expect: an atomic between two: 2 loads, 2 waits
// expect: a call between two: 2 loads, 2 waits
// expect: never used: 0 loads, 1 waits
// expect: half the lanes each: 2 loads, 1 waits
// expect: generic addresses, one of shared memory: 1 loads, 1 waits
// expect: waits stand where the first load does: yes
#include <cstdlib>

#include "api_check.h"
#include "simulator_function.h"

/// In `text`, %0 (in), %1 (out) and %2 (shared memory) are the addresses of a thread's elements.
#define KERNEL(name, text)                                                                    \
    __global__ void name(float* out, const float* in) {                                       \
        __shared__ float tile[1024];                                                          \
        const unsigned shared =                                                               \
            static_cast<unsigned>(__cvta_generic_to_shared(tile + 4 * threadIdx.x));          \
        tile[4 * threadIdx.x] = 0;                                                            \
        asm volatile(                                                                         \
            "{ .reg .f32 a, b, c, d, e, f, g, h; .reg .b32 n, m; .reg .b64 w, v;\n"           \
            ".reg .pred p, q; mov.u32 n, 0; setp.eq.u32 p, n, 0; setp.ne.u32 q, n, 0;\n" text \
            "}" ::"l"(in + 4 * threadIdx.x),                                                  \
            "l"(out + 4 * threadIdx.x), "r"(shared)                                           \
            : "memory");                                                                      \
    }
#define LOAD(to, at) "ld.global.f32 " #to ", [%0+" #at "];\n"
#define LOAD_NC(to, at) "ld.global.nc.f32 " #to ", [%0+" #at "];\n"
#define SHARE(from, at) "st.shared.f32 [%2+" #at "], " #from ";\n"
#define STORE(from, at) "st.global.f32 [%1+" #at "], " #from ";\n"
#define BARRIER "bar.sync 0;\n"

KERNEL(shared, LOAD(a, 0) SHARE(a, 0) LOAD(b, 4) SHARE(b, 4) LOAD(c, 8) SHARE(c, 8) LOAD(d, 12)
                   SHARE(d, 12) BARRIER)
KERNEL(barriers, LOAD(a, 0) SHARE(a, 0) BARRIER LOAD(b, 4) SHARE(b, 4) BARRIER LOAD(c, 8)
                     SHARE(c, 8) BARRIER LOAD(d, 12) SHARE(d, 12) BARRIER)
#define WARP_BARRIER "bar.warp.sync 0xffffffff;\n"
KERNEL(warp_barriers,
       LOAD(a, 0) SHARE(a, 0) WARP_BARRIER LOAD(b, 4) SHARE(b, 4) WARP_BARRIER LOAD(c, 8)
           SHARE(c, 8) WARP_BARRIER LOAD(d, 12) SHARE(d, 12) WARP_BARRIER)
#define SKIPPED(label, text) "@q bra " #label ";\n" text #label ":\n"
KERNEL(ahead, SKIPPED(L1, LOAD(a, 0) SHARE(a, 0)) SKIPPED(L2, LOAD(b, 4) SHARE(b, 4))
                  SKIPPED(L3, LOAD(c, 8) SHARE(c, 8)) SKIPPED(L4, LOAD(d, 12) SHARE(d, 12)) BARRIER)
KERNEL(predicates, "@p " LOAD(a, 0) "@p " SHARE(a, 0) "@p " LOAD(b, 4) "@p " SHARE(b, 4) "@p " LOAD(
                       c, 8) "@p " SHARE(c, 8) "@p " LOAD(d, 12) "@p " SHARE(d, 12) BARRIER)
KERNEL(false_predicates,
       "@q " LOAD(a, 0) "@q " SHARE(a, 0) "@q " LOAD(b, 4) "@q " SHARE(b, 4) BARRIER)
KERNEL(copied, LOAD(a, 0) "mov.f32 e, a;\n" SHARE(e, 0) LOAD(b, 4) "mov.f32 f, b;\n" SHARE(f, 4)
                   LOAD(c, 8) LOAD(d, 12) "mov.b64 w, {c, d};\nmov.b64 v, w;\n"
                   "mov.b64 {g, h}, v;\n" SHARE(g, 8) "st.shared.b64 [%2+8], v;\n" BARRIER)
#define LOAD_4 "ld.global.v4.f32 {a, b, c, d}, [%0];\n"
KERNEL(vectors, LOAD_4 "st.shared.v4.f32 [%2], {a, b, c, d};\n" LOAD_4
                       "st.shared.v4.f32 [%2], {a, b, c, d};\n" BARRIER)
#define TURNS "add.u32 n, n, 1;\nsetp.lt.u32 p, n, 4;\n@p bra LOOP;\n"
KERNEL(loop, "LOOP:\n" LOAD(a, 0) SHARE(a, 0) TURNS BARRIER)
KERNEL(passing_loop, LOAD(a, 0) "LOOP:\n" TURNS SHARE(a, 0) BARRIER)

KERNEL(arithmetic, LOAD(a, 0) "add.f32 a, a, a;\n" SHARE(a, 0)
                       LOAD(b, 4) "add.f32 b, b, b;\n" SHARE(b, 4) BARRIER)
KERNEL(arithmetic_last,
       LOAD(a, 0) LOAD(b, 4) "add.f32 a, a, a;\nadd.f32 b, b, b;\n" SHARE(a, 0) SHARE(b, 4) BARRIER)
KERNEL(addresses,
       "ld.global.u32 n, [%0];\nmul.wide.u32 w, n, 4;\nadd.u64 w, w, %0;\n"
       "ld.global.f32 a, [w];\n" SHARE(a, 0) BARRIER)
KERNEL(places, "ld.global.u32 n, [%0];\nadd.u32 m, n, %2;\nst.shared.u32 [m], n;\n" LOAD(a, 0)
                   SHARE(a, 0) BARRIER)

KERNEL(copies, LOAD(a, 0) STORE(a, 0) LOAD(b, 4) STORE(b, 4) LOAD(c, 8) STORE(c, 8) LOAD(d, 12)
                   STORE(d, 12))
KERNEL(copies_nc, LOAD_NC(a, 0) STORE(a, 0) LOAD_NC(b, 4) STORE(b, 4) LOAD_NC(c, 8) STORE(c, 8)
                      LOAD_NC(d, 12) STORE(d, 12))
KERNEL(copies_last, LOAD(a, 0) LOAD(b, 4) LOAD(c, 8) LOAD(d, 12) STORE(a, 0) STORE(b, 4) STORE(c, 8)
                        STORE(d, 12))
KERNEL(copies_loop, "LOOP:\n" LOAD_NC(a, 0) STORE(a, 0) TURNS)

KERNEL(fences, LOAD(a, 0) SHARE(a, 0) "membar.cta;\n" LOAD(b, 4) SHARE(b, 4) BARRIER)
KERNEL(atomics,
       LOAD(a, 0) SHARE(a, 0) "red.global.add.u32 [%1], 1;\n" LOAD(b, 4) SHARE(b, 4) BARRIER)
KERNEL(unused, LOAD(a, 0) LOAD(b, 4))
KERNEL(halves, "mov.u32 n, %%laneid;\nsetp.lt.u32 p, n, 16;\n@p bra OTHER;\n" LOAD(
                   a, 0) "bra DONE;\nOTHER:\n" LOAD(a, 4) "DONE:\n" SHARE(a, 0) BARRIER)
KERNEL(generic,
       "ld.f32 a, [%0];\ncvt.u64.u32 w, %2;\ncvta.shared.u64 w, w;\nld.f32 b, [w];\n" SHARE(a, 0)
           SHARE(b, 4) BARRIER)

__device__ __noinline__ float twice(float x) {
    asm volatile("" ::: "memory");
    return 2 * x;
}
__global__ void calls(float* out, const float* in) {
    const float a = in[threadIdx.x];
    out[threadIdx.x] = twice(1);
    out[threadIdx.x + 32] = a + in[threadIdx.x + 64];
}

constexpr unsigned kFirstLine = __LINE__ + 3;
__global__ void lines(float* out, const float* in) {
    __shared__ float tile[128];
    tile[threadIdx.x] = in[threadIdx.x];
    tile[threadIdx.x + 32] = in[threadIdx.x + 32];
    __syncthreads();
    out[threadIdx.x] = tile[63 - threadIdx.x];
}

static float *out, *in;

static void run(const char* what, void (*kernel)(float*, const float*), int threads = 32) {
    FIND(coalesceResetCounters)();
    kernel<<<1, threads>>>(out, in);
    need(cudaDeviceSynchronize());
    CoalesceCounters c = {};
    FIND(coalesceGetCounters)(nullptr, &c);
    std::printf("%s: %d loads, %d waits\n", what, int(c.load_requests), int(c.load_waits));
}

int main() {
    need(cudaMalloc(&out, 4096));
    need(cudaMalloc(&in, 4096));
    need(cudaMemset(in, 0, 4096));
    run("four loads, stored to shared memory", shared);
    run("... and a barrier after each", barriers);
    run("... and a barrier of the warp after each", warp_barriers);
    run("... by two warps", shared, 64);
    run("... each behind a branch ahead", ahead);
    run("... each with a predicate", predicates);
    run("... with a predicate that is false", false_predicates);
    run("... copied, packed and taken apart before", copied);
    run("two loads of four elements", vectors);
    run("a loop of four turns", loop);
    run("a loop that passes while a load is pending", passing_loop);
    run("arithmetic after each of two", arithmetic);
    run("arithmetic after both", arithmetic_last);
    run("an address that was loaded", addresses);
    run("a place in shared memory that was loaded", places);
    run("copies through one register after the other", copies);
    run("... of what nobody writes", copies_nc);
    run("... all loads first", copies_last);
    run("... in a loop, of what nobody writes", copies_loop);
    run("a fence between two", fences);
    run("an atomic between two", atomics);
    run("a call between two", calls);
    run("never used", unused);
    run("half the lanes each", halves);
    run("generic addresses, one of shared memory", generic);

    FIND(coalesceResetCounters)();
    lines<<<1, 32>>>(out, in);
    need(cudaDeviceSynchronize());
    FIND(coalesceGetKernels)();
    bool there = false;
    for (size_t i = 0; i < FIND(coalesceGetLineCount)(0); ++i) {
        CoalesceLine line = {};
        FIND(coalesceGetLine)(0, i, &line);
        there |= line.line == kFirstLine && line.counters.load_waits == 1;
        there &= line.line == kFirstLine || line.counters.load_waits == 0;
    }
    fact("waits stand where the first load does", there);
    need(cudaFree(out));
    need(cudaFree(in));
}
