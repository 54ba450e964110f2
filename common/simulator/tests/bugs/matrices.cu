// not built by clang: mma.h is part of NVIDIA's toolkit
// Mistakes with ldmatrix, stmatrix, mma and wmma.
#include <mma.h>

#include "../cases.h"

namespace wmma = nvcuda::wmma;

__device__ unsigned shared_address(const void* p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

// A row of 36 halves has 72 bytes, so every other row is not aligned to 16 bytes.
__global__ void load_rows_of_72_bytes(unsigned* out) {
    __shared__ __align__(16) unsigned short tile[8][36];
    for (int k = threadIdx.x; k < 8 * 36; k += 32) tile[k / 36][k % 36] = k;
    __syncwarp();
    unsigned d;
    const unsigned at = shared_address(tile[threadIdx.x % 8]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(d) : "r"(at));  // bug rows_of_72_bytes: memcheck: misaligned
    out[threadIdx.x] = d;
}
static void rows_of_72_bytes() {
    load_rows_of_72_bytes<<<1, 32>>>(device_zeros<unsigned>(32));
}

// Loads four matrices, which have 32 rows in total, but the tile has only 16 rows.
__global__ void load_past_end(unsigned* out) {
    __shared__ __align__(16) unsigned short tile[16][8];
    for (int k = threadIdx.x; k < 16 * 8; k += 32) tile[k / 8][k % 8] = k;
    __syncwarp();
    unsigned d[4];
    const unsigned at = shared_address(tile) + 16 * threadIdx.x;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "r"(at));  // bug rows_past_end: memcheck: out of bounds
    out[threadIdx.x] = d[0] + d[1] + d[2] + d[3];
}
static void rows_past_end() {
    load_past_end<<<1, 32>>>(device_zeros<unsigned>(32));
}

__global__ void store_to_global(unsigned short* out) {
    asm volatile("stmatrix.sync.aligned.m8n8.x1.b16 [%0], {%1};" ::"l"(out + 8 * (threadIdx.x % 8)), "r"(threadIdx.x) : "memory");  // bug global_rows: memcheck: out of bounds
}
static void global_rows() {
    store_to_global<<<1, 32>>>(device_zeros<unsigned short>(64));
}

// Warp 0 writes a tile and warp 1 loads it, without a barrier in between.
__global__ void store_and_load(unsigned* out) {
    __shared__ __align__(16) unsigned tile[32];
    if (threadIdx.x < 32) {
        const unsigned at = shared_address(tile + 4 * (threadIdx.x % 8));
        asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(at), "r"(threadIdx.x + 1) : "memory");  // other no_barrier_after_stmatrix
    } else {
        out[threadIdx.x - 32] = tile[threadIdx.x - 32];  // bug no_barrier_after_stmatrix: racecheck: read after write
    }
}
static void no_barrier_after_stmatrix() {
    store_and_load<<<1, 64>>>(device_zeros<unsigned>(32));
}

// Each warp loads rows that all warps have stored, without a barrier in between.
__global__ void load_before_barrier(unsigned* out, const unsigned* in) {
    __shared__ __align__(16) unsigned tile[128];
    tile[threadIdx.x] = in[threadIdx.x];  // other no_barrier_before_ldmatrix
    unsigned d;
    const unsigned at = shared_address(tile + 16 * (threadIdx.x % 8));
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(d) : "r"(at) : "memory");  // bug no_barrier_before_ldmatrix: racecheck: read after write
    out[threadIdx.x] = d;
}
static void no_barrier_before_ldmatrix() {
    load_before_barrier<<<1, 128>>>(device_zeros<unsigned>(128), device_iota<unsigned>(128));
}

// Multiplies by b, but the last row of b has never been written.
__global__ void multiply_unwritten(float* out) {
    __shared__ __align__(16) unsigned short b[16][8];
    for (int k = threadIdx.x; k < 15 * 8; k += 32) b[k / 8][k % 8] = 0;
    __syncwarp();
    unsigned d[2];
    const unsigned at = shared_address(b[threadIdx.x % 16]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" : "=r"(d[0]), "=r"(d[1]) : "r"(at));  // bug row_never_written: initcheck: uninitialised shared read
    float sum[4] = {};
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, {%5, %6}, {%0, %1, %2, %3};" : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3]) : "r"(0), "r"(d[0]), "r"(d[1]));
    out[threadIdx.x] = sum[0] + sum[1] + sum[2] + sum[3];
}
static void row_never_written() {
    multiply_unwritten<<<1, 32>>>(device_zeros<float>(32));
}

// Loads a matrix none of whose elements has been written, which is always a mistake.
__global__ void sum_of_fragment(float* out, const float* in) {
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::load_matrix_sync(sum, in, 16, wmma::mem_row_major);  // bug fragment_never_written: initcheck: uninitialised global read
    wmma::store_matrix_sync(out, sum, 16, wmma::mem_row_major);
}
static void fragment_never_written() {
    float* in = nullptr;
    need(cudaMalloc(&in, 256 * sizeof(float)));
    sum_of_fragment<<<1, 32>>>(device_zeros<float>(256), in);
}

__global__ void multiply_edge(float* out, const half* in) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(b, __float2half(1.0f));
    wmma::fill_fragment(sum, 0.0f);
    wmma::load_matrix_sync(a, in, 16);  // bug fragment_past_end: memcheck: out of bounds
    wmma::mma_sync(sum, a, b, sum);
    wmma::store_matrix_sync(out, sum, 16, wmma::mem_row_major);
}
static void fragment_past_end() {  // the matrix has only 15 rows
    multiply_edge<<<1, 32>>>(device_zeros<float>(256), device_zeros<half>(15 * 16));
}
__global__ void multiply_odd(float* out, const half* in) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
    wmma::load_matrix_sync(a, in, 17);  // bug fragment_of_odd_rows: memcheck: misaligned
    out[threadIdx.x] = static_cast<float>(a.x[0]);
}
static void fragment_of_odd_rows() {
    multiply_odd<<<1, 32>>>(device_zeros<float>(32), device_zeros<half>(32 * 17));
}

// The first warp stores its sums in the array from which the second warp loads.
__global__ void keep_sums(float* out) {
    __shared__ __align__(32) float sums[256];
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 1.0f);
    if (threadIdx.x < 32) wmma::store_matrix_sync(sums, sum, 16, wmma::mem_row_major);  // other no_barrier_between_fragments
    if (threadIdx.x >= 32) wmma::load_matrix_sync(sum, sums, 16, wmma::mem_row_major);  // bug no_barrier_between_fragments: racecheck: read after write
    out[threadIdx.x] = sum.x[0];
}
static void no_barrier_between_fragments() {
    keep_sums<<<1, 64>>>(device_zeros<float>(64));
}

__global__ void turn(unsigned* out) {
    unsigned d;
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(d) : "r"(threadIdx.x));  // bug half_a_warp: synccheck: incomplete warp
    out[threadIdx.x] = d;
}
static void half_a_warp() {
    turn<<<1, 16>>>(device_zeros<unsigned>(32));
}

__global__ void turn_in_branch(unsigned* out) {
    unsigned d = threadIdx.x;
    if (threadIdx.x % 4 != 0)
        asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %0;" : "+r"(d));  // bug some_lanes_only: synccheck: incomplete warp
    out[threadIdx.x] = d;
}
static void some_lanes_only() {
    turn_in_branch<<<1, 32>>>(device_zeros<unsigned>(32));
}

__global__ void turn_or_wait(unsigned* out) {
    unsigned d = threadIdx.x;
    if (threadIdx.x < 8)
        asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %0;" : "+r"(d));  // bug others_at_barrier: synccheck: incomplete warp
    else
        __syncthreads();
    out[threadIdx.x] = d;
}
static void others_at_barrier() {
    turn_or_wait<<<1, 64>>>(device_zeros<unsigned>(64));
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {
                        {"rows_of_72_bytes", rows_of_72_bytes},
                        {"rows_past_end", rows_past_end},
                        {"global_rows", global_rows},
                        {"no_barrier_after_stmatrix", no_barrier_after_stmatrix},
                        {"no_barrier_before_ldmatrix", no_barrier_before_ldmatrix},
                        {"row_never_written", row_never_written},
                        {"fragment_never_written", fragment_never_written},
                        {"fragment_past_end", fragment_past_end},
                        {"fragment_of_odd_rows", fragment_of_odd_rows},
                        {"no_barrier_between_fragments", no_barrier_between_fragments},
                        {"half_a_warp", half_a_warp},
                        {"some_lanes_only", some_lanes_only},
                        {"others_at_barrier", others_at_barrier},
                    });
}
