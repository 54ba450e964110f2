// not built by clang: mma.h is part of NVIDIA's toolkit
// Counts accesses by ldmatrix, stmatrix and wmma: to shared memory (requests, wavefronts and
// conflicts) and to global memory (requests and sectors).
// simulator only
//
// Each matrix takes one pass over its eight rows of 16 bytes: one wavefront if the banks differ.
// expect: ldmatrix.x1, rows side by side: 1 requests, 1 wavefronts, 0 conflicts
// expect: ldmatrix.x2, rows side by side: 1 requests, 2 wavefronts, 0 conflicts
// expect: ldmatrix.x4, rows side by side: 1 requests, 4 wavefronts, 0 conflicts
// expect: ldmatrix.x4, rows of 64 halves: 1 requests, 32 wavefronts, 28 conflicts
// expect: ldmatrix.x4.trans, rows of 64 halves: 1 requests, 32 wavefronts, 28 conflicts
// expect: ldmatrix.x1, rows of 64 halves: 1 requests, 8 wavefronts, 7 conflicts
// expect: ldmatrix.x4, rows of 32 halves: 1 requests, 16 wavefronts, 12 conflicts
// expect: ldmatrix.x4, rows of 64 halves and 8 more: 1 requests, 4 wavefronts, 0 conflicts
// expect: ldmatrix.x4, rows of 64 halves, swizzled: 1 requests, 4 wavefronts, 0 conflicts
// expect: ldmatrix.x4, one row for all: 1 requests, 4 wavefronts, 0 conflicts
// expect: stmatrix.x4, rows of 64 halves: 1 requests, 32 wavefronts, 28 conflicts
// expect: stmatrix.x4, rows of 64 halves and 8 more: 1 requests, 4 wavefronts, 0 conflicts
// expect: movmatrix: 0 requests, 0 wavefronts, 0 conflicts
// wmma uses ldmatrix for two-byte elements, and ordinary loads for four-byte elements.
// expect: wmma a by rows of 64 halves: 1 requests, 32 wavefronts, 28 conflicts
// expect: wmma a by rows of 72 halves: 1 requests, 4 wavefronts, 0 conflicts
// expect: wmma a by columns of 72 halves: 1 requests, 4 wavefronts, 0 conflicts
// expect: wmma stores 16 x 16 floats by rows of 16: 4 requests, 16 wavefronts, 8 conflicts
// expect: wmma a of global memory, rows of 16 halves: 4 requests, 32 sectors
// expect: wmma a of global memory, rows of 64 halves: 4 requests, 32 sectors
// expect: wmma stores 16 x 16 floats by rows of 64: 4 requests, 32 sectors
// expect: wmma stores 16 x 16 floats by columns of 64: 8 requests, 32 sectors
// The data for drawing the banks: rows, and the lanes that provide the addresses of rows.
// expect: traced: load, lanes 000000ff, 16 bytes, 8 wavefronts of 1, lane 7 at 896
// expect: traced: store, lanes ffffffff, 16 bytes, 4 wavefronts of 4, lane 7 at 1008
#include <mma.h>

#include "check.h"
#include "simulator_function.h"

namespace wmma = nvcuda::wmma;
using A = wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major>;
using ATurned = wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::col_major>;
using Sum = wmma::fragment<wmma::accumulator, 16, 16, 16, float>;

/// The row pitch is `pitch` halves. `swizzle` also shifts row r by 8 * (r % 8) halves.
#define MATRICES(name, text, pitch, swizzle, step)                                               \
    __global__ void name(unsigned* out) {                                                        \
        __shared__ __align__(128) unsigned short tile[32 * 80];                                  \
        const int row = (step) * threadIdx.x;                                                    \
        const int at = row * (pitch) + ((swizzle) ? row % 8 * 8 : 0);                            \
        const auto address = static_cast<unsigned>(__cvta_generic_to_shared(tile + at));         \
        unsigned a = 0, b = 0, c = 0, d = 0;                                                     \
        asm volatile(text : "+r"(a), "+r"(b), "+r"(c), "+r"(d) : "r"(address));              \
        out[threadIdx.x] = a + b + c + d;                                                        \
    }
#define X1(op) op ".sync.aligned.m8n8.x1.shared.b16 {%0}, [%4];"
#define X2(op) op ".sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%4];"
#define X4(op) op ".sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
#define STORE "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%4], {%0, %1, %2, %3};"

MATRICES(x1, X1("ldmatrix"), 8, false, 1)
MATRICES(x2, X2("ldmatrix"), 8, false, 1)
MATRICES(x4, X4("ldmatrix"), 8, false, 1)
MATRICES(x4_wide, X4("ldmatrix"), 64, false, 1)
MATRICES(x4_turned, "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];", 64, false, 1)
MATRICES(x1_wide, X1("ldmatrix"), 64, false, 1)
MATRICES(x4_half, X4("ldmatrix"), 32, false, 1)
MATRICES(x4_padded, X4("ldmatrix"), 72, false, 1)
MATRICES(x4_swizzled, X4("ldmatrix"), 64, true, 1)
MATRICES(x4_same, X4("ldmatrix"), 64, false, 0)
MATRICES(stored_wide, STORE, 64, false, 1)
MATRICES(stored_padded, STORE, 72, false, 1)
MATRICES(moved, "movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;", 64, false, 1)

template <class Fragment, int Pitch>
__global__ void load_shared(unsigned* out) {
    __shared__ __align__(128) half tile[16 * 80];
    Fragment f;
    wmma::load_matrix_sync(f, tile, Pitch);
    out[threadIdx.x] = static_cast<unsigned>(static_cast<float>(f.x[0]));
}
__global__ void store_shared(unsigned* out) {
    __shared__ __align__(128) float tile[16 * 16];
    Sum f;
    wmma::fill_fragment(f, 1.0f);
    wmma::store_matrix_sync(tile, f, 16, wmma::mem_row_major);
    out[threadIdx.x] = 0;
}
template <int Pitch>
__global__ void load_global(unsigned* matrix) {
    A f;
    wmma::load_matrix_sync(f, reinterpret_cast<half*>(matrix), Pitch);
    asm volatile("" ::"f"(static_cast<float>(f.x[0])));
}
__global__ void store_global(unsigned* matrix, wmma::layout_t layout) {
    Sum f;
    wmma::fill_fragment(f, 1.0f);
    if (layout == wmma::mem_row_major)
        wmma::store_matrix_sync(reinterpret_cast<float*>(matrix), f, 64, wmma::mem_row_major);
    else
        wmma::store_matrix_sync(reinterpret_cast<float*>(matrix), f, 64, wmma::mem_col_major);
}

template <class Launch>
static CoalesceCounters counters_of(Launch launch) {
    MUST(cudaDeviceSynchronize());
    FIND(coalesceResetCounters)();
    launch();
    MUST(cudaDeviceSynchronize());
    CoalesceCounters c = {};
    FIND(coalesceGetCounters)(nullptr, &c);
    return c;
}

static unsigned* memory;

static void shared(const char* what, void (*kernel)(unsigned*)) {
    const CoalesceCounters c = counters_of([=] { kernel<<<1, 32>>>(memory); });
    const auto requests = c.shared_load_requests + c.shared_store_requests;
    const auto taken = c.shared_load_wavefronts + c.shared_store_wavefronts;
    const auto ideal = c.shared_load_ideal + c.shared_store_ideal;
    std::printf("%s: %d requests, %d wavefronts, %d conflicts\n", what, int(requests), int(taken), int(taken - ideal));
}
template <class Launch>
static void global(const char* what, Launch launch) {
    const CoalesceCounters c = counters_of(launch);
    std::printf("%s: %d requests, %d sectors\n", what, int(c.load_requests + c.store_requests),
                int(c.load_sectors + c.store_sectors));
}

/// Prints the only access that the kernel's warp makes to shared memory.
static void traced(void (*kernel)(unsigned*)) {
    FIND(coalesceTraceWarp)(0, 0, 100);
    kernel<<<1, 32>>>(memory);
    MUST(cudaDeviceSynchronize());
    for (size_t k = 0; k < FIND(coalesceGetAccessCount)(); ++k) {
        CoalesceAccess a = {};
        FIND(coalesceGetAccess)(k, &a);
        if (a.shared)
            std::printf("traced: %s, lanes %08x, %u bytes, %u wavefronts of %u, lane 7 at %d\n",
                        a.store ? "store" : "load", a.active, a.bytes_per_lane, a.cost, a.ideal,
                        int(a.addresses[7] - a.addresses[0]));
    }
    FIND(coalesceTraceWarp)(0, 0, 0);
}

int main() {
    FIND(coalesceSetChecks)("memcheck");  // the addresses matter, not the values
    MUST(cudaMalloc(&memory, 1 << 16));
    MUST(cudaMemset(memory, 0, 1 << 16));
    shared("ldmatrix.x1, rows side by side", x1);
    shared("ldmatrix.x2, rows side by side", x2);
    shared("ldmatrix.x4, rows side by side", x4);
    shared("ldmatrix.x4, rows of 64 halves", x4_wide);
    shared("ldmatrix.x4.trans, rows of 64 halves", x4_turned);
    shared("ldmatrix.x1, rows of 64 halves", x1_wide);
    shared("ldmatrix.x4, rows of 32 halves", x4_half);
    shared("ldmatrix.x4, rows of 64 halves and 8 more", x4_padded);
    shared("ldmatrix.x4, rows of 64 halves, swizzled", x4_swizzled);
    shared("ldmatrix.x4, one row for all", x4_same);
    shared("stmatrix.x4, rows of 64 halves", stored_wide);
    shared("stmatrix.x4, rows of 64 halves and 8 more", stored_padded);
    shared("movmatrix", moved);
    shared("wmma a by rows of 64 halves", load_shared<A, 64>);
    shared("wmma a by rows of 72 halves", load_shared<A, 72>);
    shared("wmma a by columns of 72 halves", load_shared<ATurned, 72>);
    shared("wmma stores 16 x 16 floats by rows of 16", store_shared);
    global("wmma a of global memory, rows of 16 halves", [] { load_global<16><<<1, 32>>>(memory); });
    global("wmma a of global memory, rows of 64 halves", [] { load_global<64><<<1, 32>>>(memory); });
    global("wmma stores 16 x 16 floats by rows of 64", [] { store_global<<<1, 32>>>(memory, wmma::mem_row_major); });
    global("wmma stores 16 x 16 floats by columns of 64", [] { store_global<<<1, 32>>>(memory, wmma::mem_col_major); });
    traced(x1_wide);
    traced(stored_padded);
    MUST(cudaFree(memory));
}
