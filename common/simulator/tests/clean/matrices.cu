// not built by clang: mma.h is part of NVIDIA's toolkit
// Correct uses of ldmatrix, stmatrix, mma and wmma, for which no check may report anything.
#include <cuda_pipeline.h>
#include <mma.h>

#include "../cases.h"

namespace wmma = nvcuda::wmma;

__device__ unsigned shared_address(const void* p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

// Tiles at the edge also transpose rows and columns outside of the matrix, but do not store them.
constexpr int kTile = 32, kPitch = kTile + 8;
__global__ void transpose(unsigned short* out, const unsigned short* in, int rows, int cols) {
    __shared__ __align__(16) unsigned short tile[kTile][kPitch], turned[kTile][kPitch];
    const int x = threadIdx.x, y = threadIdx.y;
    for (int r = y; r < kTile; r += 4) {
        const int row = blockIdx.y * kTile + r, col = blockIdx.x * kTile + x;
        if (row < rows && col < cols) tile[r][x] = in[row * cols + col];
    }
    __syncthreads();
    unsigned d[4];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
                 : "r"(shared_address(&tile[x][8 * y]))
                 : "memory");
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                     shared_address(&turned[8 * y + x % 8][x / 8 * 8])),
                 "r"(d[0]), "r"(d[1]), "r"(d[2]), "r"(d[3])
                 : "memory");
    __syncthreads();
    for (int r = y; r < kTile; r += 4) {
        const int row = blockIdx.x * kTile + r, col = blockIdx.y * kTile + x;
        if (row < cols && col < rows) out[row * rows + col] = turned[r][x];
    }
}
static void transpose_with_edges() {  // clean transpose_with_edges
    constexpr int kRows = 77, kCols = 130;
    const unsigned short* in = device_iota<unsigned short>(kRows * kCols);
    unsigned short* out = nullptr;
    need(cudaMalloc(&out, kRows * kCols * sizeof *out));
    transpose<<<dim3((kCols + 31) / 32, (kRows + 31) / 32), dim3(32, 4)>>>(out, in, kRows, kCols);
    const std::vector<unsigned short> got = to_host(out, kRows * kCols);
    bool right = true;
    for (int k = 0; k < kRows * kCols; ++k) right &= got[k % kCols * kRows + k / kCols] == static_cast<unsigned short>(k);
    expect(right, "transposed");
}

// Multiplies a 16 x `depth` matrix by a `depth` x 8 matrix with mma. Two copy stages are in flight.
__global__ void product(float* out, const half* a, const half* b, int depth) {
    __shared__ __align__(16) half left[2][16][16], right[2][8][16];
    const int lane = threadIdx.x;
    const auto copy = [&](int stage, int k) {
        __pipeline_memcpy_async(&left[stage][lane / 2][lane % 2 * 8], a + lane / 2 * depth + k + lane % 2 * 8, 16);
        if (lane < 16)
            __pipeline_memcpy_async(&right[stage][lane / 2][lane % 2 * 8], b + lane / 2 * depth + k + lane % 2 * 8, 16);
        __pipeline_commit();
    };
    float sum[4] = {};
    copy(0, 0);
    for (int k = 0; k < depth; k += 16) {
        const int stage = k / 16 % 2;
        if (k + 16 < depth) copy(1 - stage, k + 16);
        __pipeline_wait_prior(k + 16 < depth ? 1 : 0);
        __syncwarp();
        unsigned x[4], y[2];
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                     : "r"(shared_address(&left[stage][lane % 16][lane / 16 * 8]))
                     : "memory");
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                     : "=r"(y[0]), "=r"(y[1])
                     : "r"(shared_address(&right[stage][lane % 8][lane / 8 % 2 * 8]))
                     : "memory");
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
            "{%0, %1, %2, %3};"
            : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
            : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
        __syncwarp();
    }
    for (int k = 0; k < 4; ++k) out[(lane / 4 + k / 2 * 8) * 8 + lane % 4 * 2 + k % 2] = sum[k];
}
static void product_in_stages() {  // clean product_in_stages
    constexpr int kDepth = 80;
    std::vector<half> a(16 * kDepth), b(8 * kDepth);
    const std::vector<int> x = random_numbers(a.size(), 9), y = random_numbers(b.size(), 7, 5);
    for (std::size_t k = 0; k < a.size(); ++k) a[k] = static_cast<half>(static_cast<float>(x[k]));
    for (std::size_t k = 0; k < b.size(); ++k) b[k] = static_cast<half>(static_cast<float>(y[k]));
    float* out = device_zeros<float>(128);
    product<<<1, 32>>>(out, to_device(a), to_device(b), kDepth);
    const std::vector<float> got = to_host(out, 128);
    bool right = true;
    for (int row = 0; row < 16; ++row)
        for (int col = 0; col < 8; ++col) {
            int sum = 0;
            for (int k = 0; k < kDepth; ++k) sum += x[row * kDepth + k] * y[col * kDepth + k];
            right &= got[row * 8 + col] == static_cast<float>(sum);
        }
    expect(right, "the product");
}

// Two warps exchange fragments through shared memory.
__global__ void pass_on(float* out) {
    __shared__ __align__(32) float sums[2][256];
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    const int warp = threadIdx.x / 32;
    wmma::fill_fragment(sum, static_cast<float>(warp));
    wmma::store_matrix_sync(sums[warp], sum, 16, wmma::mem_row_major);
    __syncthreads();
    wmma::load_matrix_sync(sum, sums[1 - warp], 16, wmma::mem_col_major);
    wmma::store_matrix_sync(out + 256 * warp, sum, 16, wmma::mem_row_major);
}
static void fragments_passed_on() {  // clean fragments_passed_on
    float* out = nullptr;
    need(cudaMalloc(&out, 512 * sizeof(float)));
    pass_on<<<1, 64>>>(out);
    const std::vector<float> got = to_host(out, 512);
    bool right = true;
    for (int k = 0; k < 512; ++k) right &= got[k] == (k < 256 ? 1.0f : 0.0f);
    expect(right, "the other warp's sums");
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {
                        {"transpose_with_edges", transpose_with_edges},
                        {"product_in_stages", product_in_stages},
                        {"fragments_passed_on", fragments_passed_on},
                    });
}
