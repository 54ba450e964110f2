// Matrix products, from the naive kernel to register tiles, and matrix-vector products.
// Long: many small kernels on one theme, each with an example that checks it.
#include <cuda_fp16.h>
#include <mma.h>

#include "tutorial.h"

using namespace tutorial;

namespace {

/// Compares some elements of C = A B with the product on the host. A has k columns and B has n.
std::string compare_product(const Buffer<float>& c, const Buffer<float>& a, const Buffer<float>& b,
                            int n, int k) {
    const auto width = static_cast<std::size_t>(n), depth = static_cast<std::size_t>(k);
    const auto expected = [&](std::size_t i) {
        return sum_of(0, depth, [&](std::size_t x) {
            return double{a.start(i / width * depth + x)} * double{b.start(x * width + i % width)};
        });
    };
    return compare(c, expected, 1e-3, 3000);
}

struct Sizes {
    int m, n, k;
};

/// Creates an example that launches kernel(C, A, B, m, n, k) with these sizes and this grid.
template <class Kernel>
Example product(Kernel kernel, dim3 grid, dim3 block, Sizes size) {
    const Buffer<float> a = floats(size.m * size.k), b = floats(size.k * size.n, 2),
                        c = zeros<float>(size.m * size.n);
    return {[=] { kernel<<<grid, block>>>(c.get(), a.get(), b.get(), size.m, size.n, size.k); },
            [=] { return compare_product(c, a, b, size.n, size.k); }};
}

/// Creates an example that multiplies square matrices with sides of length `side`. Each block
/// computes a square tile.
template <class Kernel>
Example square_product(Kernel kernel, int tile, dim3 block, int side) {
    const auto blocks = static_cast<unsigned>(side / tile);
    return product(kernel, dim3(blocks, blocks), block, {side, side, side});
}

}  // namespace

// Computes one element per thread. Consecutive lanes compute consecutive elements of a row.
__global__ void matmul_naive(float* c, const float* a, const float* b, int m, int n, int k) {
    const int row = blockIdx.y * blockDim.y + threadIdx.y,
              col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m || col >= n) return;
    float sum = 0;
    for (int x = 0; x < k; ++x) sum += a[row * k + x] * b[x * n + col];
    c[row * n + col] = sum;
}
EXAMPLE(matmul_naive) {
    return square_product(matmul_naive, 16, dim3(16, 16), pick(512, 96));
}

// Contains a common beginner's mistake: consecutive lanes go down a column.
__global__ void matmul_down_columns(float* c, const float* a, const float* b, int m, int n, int k) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x,
              col = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || col >= n) return;
    float sum = 0;
    for (int x = 0; x < k; ++x) sum += a[row * k + x] * b[x * n + col];
    c[row * n + col] = sum;
}
EXAMPLE(matmul_down_columns) {
    return square_product(matmul_down_columns, 32, dim3(32, 32), pick(512, 96));
}

// Multiplies tiles of 16 x 16 in shared memory.
__global__ void matmul_tiled_16(float* c, const float* a, const float* b, int, int n, int k) {
    __shared__ float ta[16][16], tb[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty,
              col = blockIdx.x * 16 + tx;
    float sum = 0;
    for (int first = 0; first < k; first += 16) {
        ta[ty][tx] = a[row * k + first + tx];
        tb[ty][tx] = b[(first + ty) * n + col];
        __syncthreads();
        for (int x = 0; x < 16; ++x) sum += ta[ty][x] * tb[x][tx];
        __syncthreads();
    }
    c[row * n + col] = sum;
}
EXAMPLE(matmul_tiled_16) {
    return square_product(matmul_tiled_16, 16, dim3(16, 16), pick(512, 96));
}

// Multiplies tiles of 32 x 32 in shared memory.
template <int tile>
__global__ void matmul_tiled(float* c, const float* a, const float* b, int, int n, int k) {
    __shared__ float ta[tile][tile], tb[tile][tile];
    const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * tile + ty,
              col = blockIdx.x * tile + tx;
    float sum = 0;
    for (int first = 0; first < k; first += tile) {
        ta[ty][tx] = a[row * k + first + tx];
        tb[ty][tx] = b[(first + ty) * n + col];
        __syncthreads();
#pragma unroll
        for (int x = 0; x < tile; ++x) sum += ta[ty][x] * tb[x][tx];
        __syncthreads();
    }
    c[row * n + col] = sum;
}
EXAMPLE(matmul_tiled_32) {
    return square_product(matmul_tiled<32>, 32, dim3(32, 32), pick(512, 96));
}

// Multiplies tile by tile, and checks bounds, so that the sides need not be multiples of a tile.
__global__ void matmul_tiled_any_size(float* c, const float* a, const float* b, int m, int n,
                                      int k) {
    __shared__ float ta[16][16], tb[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty,
              col = blockIdx.x * 16 + tx;
    float sum = 0;
    for (int first = 0; first < k; first += 16) {
        ta[ty][tx] = row < m && first + tx < k ? a[row * k + first + tx] : 0.0f;
        tb[ty][tx] = first + ty < k && col < n ? b[(first + ty) * n + col] : 0.0f;
        __syncthreads();
        for (int x = 0; x < 16; ++x) sum += ta[ty][x] * tb[x][tx];
        __syncthreads();
    }
    if (row < m && col < n) c[row * n + col] = sum;
}
EXAMPLE(matmul_tiled_any_size) {
    const int m = pick(500, 90), n = pick(515, 101), k = pick(333, 77);
    const dim3 grid(static_cast<unsigned>(blocks_for(n, 16)),
                    static_cast<unsigned>(blocks_for(m, 16)));
    return product(matmul_tiled_any_size, grid, dim3(16, 16), {m, n, k});
}

// Stores both tiles in dynamic shared memory.
__global__ void matmul_dynamic_shared(float* c, const float* a, const float* b, int n, int k,
                                      int tile) {
    extern __shared__ float tiles[];
    float *ta = tiles, *tb = tiles + tile * tile;
    const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * tile + ty,
              col = blockIdx.x * tile + tx;
    float sum = 0;
    for (int first = 0; first < k; first += tile) {
        ta[ty * tile + tx] = a[row * k + first + tx];
        tb[ty * tile + tx] = b[(first + ty) * n + col];
        __syncthreads();
        for (int x = 0; x < tile; ++x) sum += ta[ty * tile + x] * tb[x * tile + tx];
        __syncthreads();
    }
    c[row * n + col] = sum;
}
EXAMPLE(matmul_dynamic_shared) {
    const int side = pick(512, 96), tile = 16;
    const Buffer<float> a = floats(side * side), b = floats(side * side, 2),
                        c = zeros<float>(side * side);
    const dim3 grid(static_cast<unsigned>(side / tile), static_cast<unsigned>(side / tile));
    return {[=] {
                matmul_dynamic_shared<<<grid, dim3(16, 16), 2 * tile * tile * sizeof(float)>>>(
                    c, a, b, side, side, tile);
            },
            [=] { return compare_product(c, a, b, side, side); }};
}

// Computes eight elements of a column per thread, in registers.
__global__ void matmul_1d_registers(float* c, const float* a, const float* b, int, int n, int k) {
    constexpr int bm = 64, bn = 64, bk = 8, tm = 8;
    __shared__ float ta[bm * bk], tb[bk * bn];
    const int t = threadIdx.x, col = t % bn, row = t / bn;
    a += blockIdx.y * bm * k;
    b += blockIdx.x * bn;
    c += blockIdx.y * bm * n + blockIdx.x * bn;
    float sums[tm] = {};
    for (int first = 0; first < k; first += bk) {
        ta[t] = a[t / bk * k + t % bk];
        tb[t] = b[row * n + col];
        __syncthreads();
        a += bk;
        b += bk * n;
        for (int x = 0; x < bk; ++x) {
            const float of_b = tb[x * bn + col];
            for (int r = 0; r < tm; ++r) sums[r] += ta[(row * tm + r) * bk + x] * of_b;
        }
        __syncthreads();
    }
    for (int r = 0; r < tm; ++r) c[(row * tm + r) * n + col] = sums[r];
}
EXAMPLE(matmul_1d_registers) {
    return square_product(matmul_1d_registers, 64, dim3(512), pick(1024, 128));
}

// Computes 8 x 8 elements per thread.
__global__ void matmul_2d_registers(float* c, const float* a, const float* b, int, int n, int k) {
    constexpr int bm = 64, bn = 64, bk = 8, tm = 8, tn = 8;
    __shared__ float ta[bm * bk], tb[bk * bn];
    const int t = threadIdx.x, threads = bm * bn / (tm * tn), col = t % (bn / tn),
              row = t / (bn / tn);
    a += blockIdx.y * bm * k;
    b += blockIdx.x * bn;
    c += blockIdx.y * bm * n + blockIdx.x * bn;
    float sums[tm][tn] = {}, of_a[tm], of_b[tn];
    for (int first = 0; first < k; first += bk) {
        for (int i = t; i < bm * bk; i += threads) ta[i] = a[i / bk * k + i % bk];
        for (int i = t; i < bk * bn; i += threads) tb[i] = b[i / bn * n + i % bn];
        __syncthreads();
        a += bk;
        b += bk * n;
        for (int x = 0; x < bk; ++x) {
            for (int r = 0; r < tm; ++r) of_a[r] = ta[(row * tm + r) * bk + x];
            for (int s = 0; s < tn; ++s) of_b[s] = tb[x * bn + col * tn + s];
            for (int r = 0; r < tm; ++r)
                for (int s = 0; s < tn; ++s) sums[r][s] += of_a[r] * of_b[s];
        }
        __syncthreads();
    }
    for (int r = 0; r < tm; ++r)
        for (int s = 0; s < tn; ++s) c[(row * tm + r) * n + col * tn + s] = sums[r][s];
}
EXAMPLE(matmul_2d_registers) {
    return square_product(matmul_2d_registers, 64, dim3(64), pick(1024, 128));
}

// Transposes the tile of A in shared memory, and makes all global loads as float4.
__global__ void matmul_vectorised(float* c, const float* a, const float* b, int, int n, int k) {
    constexpr int bm = 128, bn = 128, bk = 8, tm = 8, tn = 8;
    __shared__ float ta[bk * bm], tb[bk * bn];
    const int t = threadIdx.x, col = t % (bn / tn), row = t / (bn / tn);
    const int row_a = t / 2, col_a = t % 2 * 4, row_b = t / 32, col_b = t % 32 * 4;
    a += blockIdx.y * bm * k;
    b += blockIdx.x * bn;
    c += blockIdx.y * bm * n + blockIdx.x * bn;
    float sums[tm][tn] = {}, of_a[tm], of_b[tn];
    for (int first = 0; first < k; first += bk) {
        const float4 va = *reinterpret_cast<const float4*>(a + row_a * k + col_a);
        ta[(col_a + 0) * bm + row_a] = va.x;
        ta[(col_a + 1) * bm + row_a] = va.y;
        ta[(col_a + 2) * bm + row_a] = va.z;
        ta[(col_a + 3) * bm + row_a] = va.w;
        *reinterpret_cast<float4*>(tb + row_b * bn + col_b) =
            *reinterpret_cast<const float4*>(b + row_b * n + col_b);
        __syncthreads();
        a += bk;
        b += bk * n;
        for (int x = 0; x < bk; ++x) {
            for (int r = 0; r < tm; ++r) of_a[r] = ta[x * bm + row * tm + r];
            for (int s = 0; s < tn; ++s) of_b[s] = tb[x * bn + col * tn + s];
            for (int r = 0; r < tm; ++r)
                for (int s = 0; s < tn; ++s) sums[r][s] += of_a[r] * of_b[s];
        }
        __syncthreads();
    }
    for (int r = 0; r < tm; ++r)
        for (int s = 0; s < tn; s += 4)
            *reinterpret_cast<float4*>(c + (row * tm + r) * n + col * tn + s) =
                make_float4(sums[r][s], sums[r][s + 1], sums[r][s + 2], sums[r][s + 3]);
}
EXAMPLE(matmul_vectorised) {
    return square_product(matmul_vectorised, 128, dim3(256), pick(1024, 128));
}

// Uses two buffers for each tile, so that one is filled while the other is used.
__global__ void matmul_double_buffered(float* c, const float* a, const float* b, int, int n,
                                       int k) {
    __shared__ float ta[2][16][16], tb[2][16][16];
    const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty,
              col = blockIdx.x * 16 + tx;
    float sum = 0;
    ta[0][ty][tx] = a[row * k + tx];
    tb[0][ty][tx] = b[ty * n + col];
    __syncthreads();
    for (int first = 0, now = 0; first < k; first += 16, now ^= 1) {
        if (first + 16 < k) {
            ta[now ^ 1][ty][tx] = a[row * k + first + 16 + tx];
            tb[now ^ 1][ty][tx] = b[(first + 16 + ty) * n + col];
        }
        for (int x = 0; x < 16; ++x) sum += ta[now][ty][x] * tb[now][x][tx];
        __syncthreads();
    }
    c[row * n + col] = sum;
}
EXAMPLE(matmul_double_buffered) {
    return square_product(matmul_double_buffered, 16, dim3(16, 16), pick(512, 96));
}

// Multiplies matrices with many rows and 16 columns.
__global__ void matmul_tall_thin(float* c, const float* a, const float* b, int, int, int k) {
    __shared__ float tb[64 * 16];
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = threadIdx.x; i < k * 16; i += blockDim.x) tb[i] = b[i];
    __syncthreads();
    float sums[16] = {};
    for (int x = 0; x < k; ++x) {
        const float of_a = a[row * k + x];
        for (int s = 0; s < 16; ++s) sums[s] += of_a * tb[x * 16 + s];
    }
    for (int s = 0; s < 16; ++s) c[row * 16 + s] = sums[s];
}
EXAMPLE(matmul_tall_thin) {
    const int rows = pick(1 << 17, 1 << 10);
    return product(matmul_tall_thin, dim3(static_cast<unsigned>(rows / 128)), dim3(128),
                   {rows, 16, 64});
}

// Stores halves in shared memory and accumulates in floats.
__global__ void matmul_half(float* c, const half* a, const half* b, int n, int k) {
    __shared__ half ta[16][16], tb[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty,
              col = blockIdx.x * 16 + tx;
    float sum = 0;
    for (int first = 0; first < k; first += 16) {
        ta[ty][tx] = a[row * k + first + tx];
        tb[ty][tx] = b[(first + ty) * n + col];
        __syncthreads();
        for (int x = 0; x < 16; ++x) sum += __half2float(ta[ty][x]) * __half2float(tb[x][tx]);
        __syncthreads();
    }
    c[row * n + col] = sum;
}

namespace {

/// Returns small integers, which are exact in half precision.
Buffer<half> halves(int n, std::uint32_t seed) {
    return filled(static_cast<std::size_t>(n), [=](std::size_t i) {
        return __float2half(static_cast<float>(noise(i, seed) % 8));
    });
}

std::string compare_halves(const Buffer<float>& c, const Buffer<half>& a, const Buffer<half>& b,
                           int side) {
    const auto width = static_cast<std::size_t>(side);
    const auto expected = [&](std::size_t i) {
        return sum_of(0, width, [&](std::size_t x) {
            return __half2float(a.start(i / width * width + x)) *
                   __half2float(b.start(x * width + i % width));
        });
    };
    return compare(c, expected, 1e-4, 3000);
}

}  // namespace

EXAMPLE(matmul_half) {
    const int side = pick(512, 96);
    const Buffer<half> a = halves(side * side, 1), b = halves(side * side, 2);
    const Buffer<float> c = zeros<float>(side * side);
    const dim3 grid(static_cast<unsigned>(side / 16), static_cast<unsigned>(side / 16));
    return {[=] { matmul_half<<<grid, dim3(16, 16)>>>(c, a, b, side, side); },
            [=] { return compare_halves(c, a, b, side); }};
}

// Uses tensor cores, with a tile of 16 x 16 elements per warp.
__global__ void matmul_wmma(float* c, const half* a, const half* b, int side) {
    using namespace nvcuda;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> of_a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> of_b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
    wmma::fill_fragment(sums, 0.0f);
    const int row = blockIdx.y * 16, col = (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * 16;
    for (int x = 0; x < side; x += 16) {
        wmma::load_matrix_sync(of_a, a + row * side + x, side);
        wmma::load_matrix_sync(of_b, b + x * side + col, side);
        wmma::mma_sync(sums, of_a, of_b, sums);
    }
    wmma::store_matrix_sync(c + row * side + col, sums, side, wmma::mem_row_major);
}
EXAMPLE(matmul_wmma) {
    const int side = pick(1024, 128);
    const Buffer<half> a = halves(side * side, 1), b = halves(side * side, 2);
    const Buffer<float> c = zeros<float>(side * side);
    const dim3 grid(static_cast<unsigned>(side / 64), static_cast<unsigned>(side / 16));
    return {[=] { matmul_wmma<<<grid, 128>>>(c, a, b, side); },
            [=] { return compare_halves(c, a, b, side); }};
}

// Multiplies doubles in shared memory.
__global__ void matmul_double(double* c, const double* a, const double* b, int side) {
    __shared__ double ta[16][16], tb[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty,
              col = blockIdx.x * 16 + tx;
    double sum = 0;
    for (int first = 0; first < side; first += 16) {
        ta[ty][tx] = a[row * side + first + tx];
        tb[ty][tx] = b[(first + ty) * side + col];
        __syncthreads();
        for (int x = 0; x < 16; ++x) sum += ta[ty][x] * tb[x][tx];
        __syncthreads();
    }
    c[row * side + col] = sum;
}
EXAMPLE(matmul_double) {
    const int side = pick(512, 96);
    const Buffer<double> a = doubles(side * side), b = doubles(side * side, 2),
                         c = zeros<double>(side * side);
    const dim3 grid(static_cast<unsigned>(side / 16), static_cast<unsigned>(side / 16));
    const auto width = static_cast<std::size_t>(side);
    const auto expected = [=](std::size_t i) {
        return sum_of(0, width, [&](std::size_t x) {
            return a.start(i / width * width + x) * b.start(x * width + i % width);
        });
    };
    return {[=] { matmul_double<<<grid, dim3(16, 16)>>>(c, a, b, side); },
            [=] { return compare(c, expected, 1e-9, 3000); }};
}

// Multiplies bytes, with four products per instruction.
__global__ void matmul_dp4a(int* c, const int* a, const int* b, int n, int words) {
    const int row = blockIdx.y * blockDim.y + threadIdx.y,
              col = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 0;
    for (int x = 0; x < words; ++x) sum = __dp4a(a[row * words + x], b[x * n + col], sum);
    c[row * n + col] = sum;
}
EXAMPLE(matmul_dp4a) {
    const int side = pick(512, 96), words = side / 4;
    const Buffer<int> a = integers(side * words, 0x7fffffff),
                      b = integers(words * side, 0x7fffffff, 2), c = zeros<int>(side * side);
    const auto width = static_cast<std::size_t>(side), depth = static_cast<std::size_t>(words);
    const auto expected = [=](std::size_t i) {
        int sum = 0;
        for (std::size_t x = 0; x < depth; ++x) {
            for (int byte = 0; byte < 4; ++byte) {
                sum += static_cast<signed char>(a.start(i / width * depth + x) >> 8 * byte) *
                       static_cast<signed char>(b.start(x * width + i % width) >> 8 * byte);
            }
        }
        return sum;
    };
    const dim3 grid(static_cast<unsigned>(side / 32), static_cast<unsigned>(side / 8));
    return {[=] { matmul_dp4a<<<grid, dim3(32, 8)>>>(c, a, b, side, words); },
            [=] { return compare(c, expected, 0, 3000); }};
}

// Computes many small products, each with a block of 8 x 8 threads.
__global__ void matmul_batched_small(float* c, const float* a, const float* b) {
    __shared__ float ta[8][8], tb[8][8];
    const int tx = threadIdx.x, ty = threadIdx.y, at = blockIdx.x * 64 + ty * 8 + tx;
    ta[ty][tx] = a[at];
    tb[ty][tx] = b[at];
    __syncthreads();
    float sum = 0;
    for (int x = 0; x < 8; ++x) sum += ta[ty][x] * tb[x][tx];
    c[at] = sum;
}
EXAMPLE(matmul_batched_small) {
    const int count = pick(1 << 16, 1 << 10);
    const Buffer<float> a = floats(count * 64), b = floats(count * 64, 2),
                        c = zeros<float>(count * 64);
    const auto expected = [=](std::size_t i) {
        const std::size_t first = i / 64 * 64, row = i % 64 / 8, col = i % 8;
        return sum_of(0, 8, [&](std::size_t x) {
            return a.start(first + row * 8 + x) * b.start(first + x * 8 + col);
        });
    };
    return {[=] { matmul_batched_small<<<count, dim3(8, 8)>>>(c, a, b); },
            [=] { return compare(c, expected, 1e-5, 30000); }};
}

namespace {

std::string compare_matvec(const Buffer<float>& y, const Buffer<float>& a, const Buffer<float>& x) {
    const std::size_t cols = x.size();
    const auto expected = [&](std::size_t row) {
        return sum_of(0, cols, [&](std::size_t c) {
            return double{a.start(row * cols + c)} * double{x.start(c)};
        });
    };
    return compare(y, expected, 1e-4, 2000);
}

/// Creates an example of kernel(y, A, x, cols), whose blocks compute `rows_of_block` rows each.
template <class Kernel>
Example matvec(Kernel kernel, int rows_of_block, int threads) {
    const int rows = pick(16384, 512), cols = 1024;
    const Buffer<float> a = floats(rows * cols), x = floats(cols, 2), y = zeros<float>(rows);
    return {[=] { kernel<<<rows / rows_of_block, threads>>>(y.get(), a.get(), x.get(), cols); },
            [=] { return compare_matvec(y, a, x); }};
}

__device__ float warp_sum(float v) {
    for (int offset = 16; offset > 0; offset /= 2) v += __shfl_down_sync(0xffffffffu, v, offset);
    return v;
}

}  // namespace

// Multiplies a matrix by a vector with one thread per row.
__global__ void matvec_thread(float* y, const float* a, const float* x, int cols) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int c = 0; c < cols; ++c) sum += a[row * cols + c] * x[c];
    y[row] = sum;
}
EXAMPLE(matvec_thread) {
    return matvec(matvec_thread, 128, 128);
}

// Multiplies a matrix by a vector with one warp per row.
__global__ void matvec_warp(float* y, const float* a, const float* x, int cols) {
    const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    float sum = 0;
    for (int c = lane; c < cols; c += 32) sum += a[row * cols + c] * x[c];
    sum = warp_sum(sum);
    if (lane == 0) y[row] = sum;
}
EXAMPLE(matvec_warp) {
    return matvec(matvec_warp, 8, 256);
}

// Multiplies a matrix by a vector with one warp per row, and loads float4 vectors.
__global__ void matvec_float4(float* y, const float* a, const float* x, int cols) {
    const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    const float4 *row4 = reinterpret_cast<const float4*>(a + row * cols),
                 *x4 = reinterpret_cast<const float4*>(x);
    float sum = 0;
    for (int c = lane; c < cols / 4; c += 32) {
        const float4 u = row4[c], v = x4[c];
        sum += u.x * v.x + u.y * v.y + u.z * v.z + u.w * v.w;
    }
    sum = warp_sum(sum);
    if (lane == 0) y[row] = sum;
}
EXAMPLE(matvec_float4) {
    return matvec(matvec_float4, 8, 256);
}

// Multiplies a matrix by a vector that is first copied to shared memory.
__global__ void matvec_shared_x(float* y, const float* a, const float* x, int cols) {
    __shared__ float sx[1024];
    for (int c = threadIdx.x; c < cols; c += blockDim.x) sx[c] = x[c];
    __syncthreads();
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int c = 0; c < cols; ++c) sum += a[row * cols + c] * sx[c];
    y[row] = sum;
}
EXAMPLE(matvec_shared_x) {
    return matvec(matvec_shared_x, 128, 128);
}

// Multiplies a matrix by a vector with a block per row, and a tree reduction in shared memory.
__global__ void matvec_block(float* y, const float* a, const float* x, int cols) {
    __shared__ float s[256];
    float sum = 0;
    for (int c = threadIdx.x; c < cols; c += 256) sum += a[blockIdx.x * cols + c] * x[c];
    s[threadIdx.x] = sum;
    __syncthreads();
    for (int stride = 128; stride > 0; stride /= 2) {
        if (threadIdx.x < stride) s[threadIdx.x] += s[threadIdx.x + stride];
        __syncthreads();
    }
    if (threadIdx.x == 0) y[blockIdx.x] = s[0];
}
EXAMPLE(matvec_block) {
    return matvec(matvec_block, 1, 256);
}

// Computes the outer product of two vectors.
__global__ void outer_product(float* c, const float* u, const float* v, int n) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x,
              row = blockIdx.y * blockDim.y + threadIdx.y;
    c[row * n + col] = u[row] * v[col];
}
EXAMPLE(outer_product) {
    const int n = pick(4096, 256);
    const Buffer<float> u = floats(n), v = floats(n, 2), c = zeros<float>(n * n);
    const auto width = static_cast<std::size_t>(n);
    const dim3 grid(static_cast<unsigned>(n / 32), static_cast<unsigned>(n / 8));
    return {[=] { outer_product<<<grid, dim3(32, 8)>>>(c, u, v, n); },
            [=] {
                return compare(
                    c, [&](std::size_t i) { return u.start(i / width) * v.start(i % width); });
            }};
}

// Adds two matrices with a two-dimensional grid.
__global__ void matrix_add(float* c, const float* a, const float* b, int rows, int cols) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x,
              row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) c[row * cols + col] = a[row * cols + col] + b[row * cols + col];
}
EXAMPLE(matrix_add) {
    const int rows = pick(3000, 200), cols = pick(3001, 301);
    const Buffer<float> a = floats(rows * cols), b = floats(rows * cols, 2),
                        c = zeros<float>(rows * cols);
    const dim3 grid(static_cast<unsigned>(blocks_for(cols, 16)),
                    static_cast<unsigned>(blocks_for(rows, 16)));
    return {[=] { matrix_add<<<grid, dim3(16, 16)>>>(c, a, b, rows, cols); },
            [=] { return compare(c, [&](std::size_t i) { return a.start(i) + b.start(i); }); }};
}
