// Pipelines: copies that run ahead of the computation, and warps that specialize in one task.
#include "../cases.h"

#include <cuda_pipeline.h>

#include <climits>
#include <cmath>

// clean sum_with_two_stages
template <int THREADS>
__global__ void sum_tiles(float* __restrict__ out, const float4* __restrict__ in, int tiles) {
    __shared__ float4 stage[2][THREADS];
    const int tid = threadIdx.x;
    const float4* mine = in + size_t(blockIdx.x) * tiles * THREADS;
    __pipeline_memcpy_async(&stage[0][tid], &mine[tid], sizeof(float4));
    __pipeline_commit();
    float acc = 0.f;
    for (int t = 0; t < tiles; ++t) {
        if (t + 1 < tiles) {
            __pipeline_memcpy_async(&stage[(t + 1) & 1][tid], &mine[(t + 1) * THREADS + tid],
                                    sizeof(float4));
        }
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        const float4 v = stage[t & 1][THREADS - 1 - tid];
        acc += v.x + v.y + v.z + v.w;
        __syncthreads();
    }
    out[blockIdx.x * THREADS + tid] = acc;
}
static void sum_with_two_stages() {
    const int blocks = 3, tiles = 7, threads = 64, n = blocks * tiles * threads * 4;
    float *in = device_iota<float>(n), *out = device_zeros<float>(blocks * threads);
    sum_tiles<threads><<<blocks, threads>>>(out, reinterpret_cast<const float4*>(in), tiles);
    const auto got = to_host(out, blocks * threads);
    for (int b = 0; b < blocks; ++b) {
        for (int i = 0; i < threads; ++i) {
            float want = 0;
            for (int t = 0; t < tiles; ++t) {
                const int v = 4 * ((b * tiles + t) * threads + threads - 1 - i);
                want += static_cast<float>(4 * v + 6);
            }
            expect(got[b * threads + i] == want, "sum");
        }
    }
}

// clean planes_in_a_ring
// A stencil in three dimensions: three planes are in shared memory, and a fourth one is in flight.
constexpr int kNX = 16, kNY = 8, kNZ = 12;
__device__ __forceinline__ void fetch_plane(int* dst, const int* src, int z) {
    if (z < kNZ) {
        for (int i = threadIdx.x; i < kNX * kNY; i += blockDim.x) {
            __pipeline_memcpy_async(dst + i, src + z * kNX * kNY + i, 4);
        }
    }
    __pipeline_commit();
}
__global__ void stencil7(int* out, const int* in) {
    extern __shared__ int planes[];
    auto plane = [&](int z) { return planes + (z & 3) * kNX * kNY; };
    for (int z = 0; z < 3; ++z) fetch_plane(plane(z), in, z);
    for (int z = 1; z < kNZ - 1; ++z) {
        fetch_plane(plane(z + 2), in, z + 2);
        __pipeline_wait_prior(1);
        __syncthreads();
        for (int i = threadIdx.x; i < kNX * kNY; i += blockDim.x) {
            const int x = i % kNX, y = i / kNX;
            if (x == 0 || y == 0 || x == kNX - 1 || y == kNY - 1) continue;
            out[z * kNX * kNY + i] = plane(z)[i - 1] + plane(z)[i + 1] + plane(z)[i - kNX] +
                                     plane(z)[i + kNX] + plane(z - 1)[i] + plane(z + 1)[i] -
                                     6 * plane(z)[i];
        }
        __syncthreads();
    }
}
static void planes_in_a_ring() {
    const auto host_in = random_numbers(kNX * kNY * kNZ, 1000);
    int *in = to_device(host_in), *out = device_zeros<int>(host_in.size());
    stencil7<<<1, 96, 4 * kNX * kNY * sizeof(int)>>>(out, in);
    const auto got = to_host(out, host_in.size());
    for (int z = 1; z < kNZ - 1; ++z) {
        for (int y = 1; y < kNY - 1; ++y) {
            for (int x = 1; x < kNX - 1; ++x) {
                const int i = (z * kNY + y) * kNX + x;
                const int want = host_in[i - 1] + host_in[i + 1] + host_in[i - kNX] +
                                 host_in[i + kNX] + host_in[i - kNX * kNY] +
                                 host_in[i + kNX * kNY] - 6 * host_in[i];
                expect(got[i] == want, "stencil");
            }
        }
    }
}

// clean loaders_and_workers
// One warp loads tiles, and two warps use them. They synchronize with numbered hardware barriers:
// warps that release a buffer arrive, and warps that need the buffer wait.
template <int ID>
__device__ void bar_sync(int count) {
    asm volatile("bar.sync %0, %1;" ::"n"(ID), "r"(count) : "memory");
}
__device__ void bar_sync(int id, int count) {
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(count) : "memory");
}
__device__ void bar_arrive(int id, int count) {
    asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(count) : "memory");
}
__global__ void specialized(int* out, const int* in, int tiles) {
    __shared__ int buffer[2][64];
    constexpr int FULL = 1, EMPTY = 3, ALL = 96;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (warp == 0) {
        for (int t = 0; t < tiles; ++t) {
            const int s = t & 1;
            if (t >= 2) bar_sync(EMPTY + s, ALL);
            for (int i = lane; i < 64; i += 32) buffer[s][i] = in[t * 64 + i];
            bar_arrive(FULL + s, ALL);
        }
    } else {
        int sum = 0;
        for (int t = 0; t < tiles; ++t) {
            const int s = t & 1;
            bar_sync(FULL + s, ALL);
            sum += buffer[s][63 - (threadIdx.x - 32)] * (t + 1);
            if (t + 2 < tiles) bar_arrive(EMPTY + s, ALL);
        }
        out[threadIdx.x - 32] = sum;
        bar_sync<5>(64);
        if (threadIdx.x == 32) {
            int total = 0;
            for (int i = 0; i < 64; ++i) total += out[i];
            out[64] = total;
        }
    }
}
static void loaders_and_workers() {
    const int tiles = 9;
    int* out = device_zeros<int>(65);
    specialized<<<1, 96>>>(out, device_iota<int>(64 * tiles), tiles);
    const auto got = to_host(out, 65);
    int total = 0;
    for (int i = 0; i < 64; ++i) {
        int want = 0;
        for (int t = 0; t < tiles; ++t) want += (64 * t + 63 - i) * (t + 1);
        expect(got[i] == want, "sum of a thread");
        total += want;
    }
    expect(got[64] == total, "total");
}

// clean last_piece_filled_with_zeros
// The last copies have a source size of less than 16 bytes. The hardware fills the rest with zeros.
__global__ void dot_ragged(float* result, const float* a, const float* b, int n) {
    __shared__ __align__(16) float sa[256], sb[256];
    float sum = 0;
    for (int base = 0; base < n; base += 256) {
        const int at = base + 4 * threadIdx.x;
        const int left = max(0, min(4, n - at));
        const auto copy = [&](float* dst, const float* src) {
            const unsigned s = static_cast<unsigned>(__cvta_generic_to_shared(dst));
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(s),
                         "l"(left ? src + at : src), "r"(left * 4)
                         : "memory");
        };
        copy(sa + 4 * threadIdx.x, a);
        copy(sb + 4 * threadIdx.x, b);
        asm volatile("cp.async.wait_all;" ::: "memory");
        __syncthreads();
        for (int i = threadIdx.x; i < 256; i += blockDim.x) sum += sa[i] * sb[i];
        __syncthreads();
    }
    for (int o = 16; o; o >>= 1) sum += __shfl_xor_sync(~0u, sum, o);
    if (threadIdx.x % 32 == 0) atomicAdd(result, sum);
}
static void last_piece_filled_with_zeros() {
    const int n = 603;
    std::vector<float> ones(n, 1.f);
    float *result = device_zeros<float>(1);
    dot_ragged<<<1, 64>>>(result, device_iota<float>(n), to_device(ones), n);
    expect(to_host(result, 1)[0] == n * (n - 1) / 2, "dot product");
}

// clean private_slices_need_no_barrier
// Every thread reads only data that it has copied itself, so it waits only for its own copies.
__global__ void private_slices(int* out, const int* in, int steps) {
    __shared__ int ring[4][128];
    const int t = threadIdx.x, all = gridDim.x * blockDim.x;
    const int me = blockIdx.x * blockDim.x + t;
    for (int s = 0; s < 3; ++s) {
        if (s < steps) __pipeline_memcpy_async(&ring[s][t], in + s * all + me, 4);
        __pipeline_commit();
    }
    int best = INT_MIN;
    for (int s = 0; s < steps; ++s) {
        if (s + 3 < steps) {
            __pipeline_memcpy_async(&ring[(s + 3) % 4][t], in + (s + 3) * all + me, 4);
        }
        __pipeline_commit();
        __pipeline_wait_prior(3);
        best = max(best, ring[s % 4][t]);
    }
    out[me] = best;
}
static void private_slices_need_no_barrier() {
    const int steps = 11, all = 256;
    const auto in = random_numbers(steps * all, 100000);
    int* out = device_zeros<int>(all);
    private_slices<<<2, 128>>>(out, to_device(in), steps);
    const auto got = to_host(out, all);
    for (int i = 0; i < all; ++i) {
        int want = 0;
        for (int s = 0; s < steps; ++s) want = std::max(want, in[s * all + i]);
        expect(got[i] == want, "maximum");
    }
}

// clean next_tile_in_registers
// Double buffering without cp.async: each thread loads the next tile into registers, and stores it
// to the other buffer after the computation.
#define TS 16
__global__ void sgemm_prefetch(const float* A, const float* B, float* C, int N) {
    __shared__ float As[2][TS][TS], Bs[2][TS][TS];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * TS + ty, col = blockIdx.x * TS + tx;
    As[0][ty][tx] = A[row * N + tx];
    Bs[0][ty][tx] = B[ty * N + col];
    __syncthreads();
    float acc = 0.0f;
    int cur = 0;
    for (int k0 = 0; k0 < N; k0 += TS, cur ^= 1) {
        float a_next = 0.0f, b_next = 0.0f;
        const bool more = k0 + TS < N;
        if (more) {
            a_next = A[row * N + k0 + TS + tx];
            b_next = B[(k0 + TS + ty) * N + col];
        }
#pragma unroll
        for (int k = 0; k < TS; ++k) acc += As[cur][ty][k] * Bs[cur][k][tx];
        if (more) {
            As[cur ^ 1][ty][tx] = a_next;
            Bs[cur ^ 1][ty][tx] = b_next;
        }
        __syncthreads();
    }
    C[row * N + col] = acc;
}
static void next_tile_in_registers() {
    const int N = 48;
    const auto a = random_numbers(N * N, 10, 3), b = random_numbers(N * N, 10, 4);
    float* C = device_zeros<float>(N * N);
    sgemm_prefetch<<<dim3(N / TS, N / TS), dim3(TS, TS)>>>(
        to_device(std::vector<float>(a.begin(), a.end())),
        to_device(std::vector<float>(b.begin(), b.end())), C, N);
    const auto got = to_host(C, N * N);
    for (int i = 0; i < N; ++i) {
        for (int j = 0; j < N; ++j) {
            int want = 0;
            for (int k = 0; k < N; ++k) want += a[i * N + k] * b[k * N + j];
            expect(got[i * N + j] == want, "product");
        }
    }
}

// clean product_in_four_stages
template <int M, int N, int K, int STAGES>
struct GemmShared {
    float a[STAGES][M][K + 4];
    float b[STAGES][K][N];
};
template <int M, int N, int K, int STAGES>
__global__ __launch_bounds__(64) void gemm_multistage(float* c, const float* a, const float* b,
                                                      int depth, int ldb) {
    __shared__ __align__(16) GemmShared<M, N, K, STAGES> sm;
    const int tid = threadIdx.x;
    auto load = [&](int kt) {
        if (kt * K < depth) {
            const int s = kt % STAGES;
            for (int i = tid; i < M * K / 4; i += 64) {
                const int r = i / (K / 4), q = i % (K / 4) * 4;
                __pipeline_memcpy_async(&sm.a[s][r][q], &a[r * depth + kt * K + q], 16);
            }
            for (int i = tid; i < K * N / 4; i += 64) {
                const int r = i / (N / 4), q = i % (N / 4) * 4;
                __pipeline_memcpy_async(&sm.b[s][r][q], &b[(kt * K + r) * ldb + q], 16);
            }
        }
        __pipeline_commit();
    };
    for (int s = 0; s < STAGES - 1; ++s) load(s);
    float acc[M / 8][N / 8] = {};
    for (int kt = 0; kt * K < depth; ++kt) {
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads();
        load(kt + STAGES - 1);
        for (int k = 0; k < K; ++k) {
            for (int i = 0; i < M / 8; ++i) {
                for (int j = 0; j < N / 8; ++j) {
                    acc[i][j] += sm.a[kt % STAGES][tid / 8 + 8 * i][k] *
                                 sm.b[kt % STAGES][k][tid % 8 + 8 * j];
                }
            }
        }
    }
    for (int i = 0; i < M / 8; ++i) {
        for (int j = 0; j < N / 8; ++j) c[(tid / 8 + 8 * i) * ldb + tid % 8 + 8 * j] = acc[i][j];
    }
}
static void product_in_four_stages() {
    const int m = 16, n = 32, depth = 72;
    const auto a = random_numbers(m * depth, 9, 5), b = random_numbers(depth * n, 9, 6);
    float* c = device_zeros<float>(m * n);
    gemm_multistage<m, n, 8, 4><<<1, 64>>>(c, to_device(std::vector<float>(a.begin(), a.end())),
                                           to_device(std::vector<float>(b.begin(), b.end())), depth,
                                           n);
    const auto got = to_host(c, m * n);
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < n; ++j) {
            int want = 0;
            for (int k = 0; k < depth; ++k) want += a[i * depth + k] * b[k * n + j];
            expect(got[i * n + j] == want, "product");
        }
    }
}

// clean relay_of_warps
// Four warps form an assembly line. Each warp changes an item, and then hands it to the next warp
// at a barrier that only these two warps use.
__global__ void assembly_line(int* out, int items) {
    __shared__ int belt[4][32];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int item = 0; item < items; ++item) {
        int value = item * 32 + lane;
        if (warp > 0) {
            bar_sync(2 * warp, 64);  // the item is on the belt
            value = belt[warp][lane ^ 1];
            bar_arrive(2 * warp + 1, 64);  // the belt is free
        }
        value = value * 3 + warp;
        if (warp < 3) {
            if (item > 0) bar_sync(2 * warp + 3, 64);
            belt[warp + 1][lane] = value;
            bar_arrive(2 * warp + 2, 64);
        } else {
            out[item * 32 + lane] = value;
        }
    }
    if (warp < 3) bar_sync(2 * warp + 3, 64);
}
static void relay_of_warps() {
    const int items = 10;
    int* out = device_zeros<int>(items * 32);
    assembly_line<<<1, 128>>>(out, items);
    const auto got = to_host(out, items * 32);
    for (int i = 0; i < items * 32; ++i) {
        int want = (i ^ 1) * 3;
        for (int w = 1; w < 4; ++w) want = want * 3 + w;
        expect(got[i] == want, "item");
    }
}

// clean rows_staged_by_warps
// Every warp has two buffers of its own, so __syncwarp is enough.
__global__ void row_norms(float* norms, const float* x, int rows, int cols) {
    extern __shared__ float smem[];
    const int warps = blockDim.x / 32, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float* buf = smem + warp * 2 * cols;
    int row = blockIdx.x * warps + warp;
    const int step = gridDim.x * warps;
    auto stage = [&](int r, int s) {
        if (r < rows) {
            for (int c = lane; c < cols; c += 32) {
                __pipeline_memcpy_async(buf + s * cols + c, x + r * cols + c, 4);
            }
        }
        __pipeline_commit();
    };
    stage(row, 0);
    for (int s = 0; row < rows; row += step, s ^= 1) {
        stage(row + step, s ^ 1);
        __pipeline_wait_prior(1);
        __syncwarp();
        float sum = 0;
        for (int c = lane; c < cols; c += 32) sum += fabsf(buf[s * cols + (c + 1) % cols]);
        __syncwarp();
        for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
        if (lane == 0) norms[row] = sum;
    }
}
static void rows_staged_by_warps() {
    const int rows = 37, cols = 50;
    float* norms = device_zeros<float>(rows);
    row_norms<<<2, 96, 3 * 2 * cols * sizeof(float)>>>(norms, device_iota<float>(rows * cols), rows,
                                                       cols);
    const auto got = to_host(norms, rows);
    for (int r = 0; r < rows; ++r)
        expect(got[r] == r * cols * cols + cols * (cols - 1) / 2, "sum of a row");
}

// clean keys_and_values_in_tiles
// Attention. Each tile of keys updates the running maximum and the running sum.
constexpr int kHead = 16, kTile = 8;
__global__ void attention(float* o, const float* q, const float* k, const float* v, int len) {
    __shared__ float ks[2][kTile][kHead], vs[2][kTile][kHead];
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    auto load = [&](int tile) {
        for (int i = threadIdx.x; i < kTile * kHead; i += blockDim.x) {
            const int key = tile * kTile + i / kHead;
            if (key < len) {
                __pipeline_memcpy_async(&ks[tile & 1][0][0] + i, k + key * kHead + i % kHead, 4);
                __pipeline_memcpy_async(&vs[tile & 1][0][0] + i, v + key * kHead + i % kHead, 4);
            }
        }
        __pipeline_commit();
    };
    float qr[kHead], acc[kHead] = {}, m = -INFINITY, l = 0;
    for (int d = 0; d < kHead; ++d) qr[d] = q[row * kHead + d];
    const int tiles = (len + kTile - 1) / kTile;
    load(0);
    for (int tile = 0; tile < tiles; ++tile) {
        if (tile + 1 < tiles) {
            load(tile + 1);
            __pipeline_wait_prior(1);
        } else {
            __pipeline_wait_prior(0);
        }
        __syncthreads();
        const int keys = min(kTile, len - tile * kTile);
        for (int j = 0; j < keys; ++j) {
            float s = 0;
            for (int d = 0; d < kHead; ++d) s += qr[d] * ks[tile & 1][j][d];
            const float m_new = fmaxf(m, s), fix = __expf(m - m_new), p = __expf(s - m_new);
            l = l * fix + p;
            for (int d = 0; d < kHead; ++d) acc[d] = acc[d] * fix + p * vs[tile & 1][j][d];
            m = m_new;
        }
        __syncthreads();
    }
    for (int d = 0; d < kHead; ++d) o[row * kHead + d] = acc[d] / l;
}
static void keys_and_values_in_tiles() {
    const int queries = 32, len = 29;
    const auto noise = random_numbers((queries + 2 * len) * kHead, 1000, 9);
    std::vector<float> all;
    for (const int x : noise) all.push_back(x / 1000.f - .5f);
    const float* data = to_device(all);
    float* o = device_zeros<float>(queries * kHead);
    attention<<<queries / 16, 16>>>(o, data, data + queries * kHead,
                                    data + (queries + len) * kHead, len);
    const auto got = to_host(o, queries * kHead);
    for (int r = 0; r < queries; ++r) {
        double sum = 0, value[kHead] = {};
        for (int j = 0; j < len; ++j) {
            double s = 0;
            for (int d = 0; d < kHead; ++d) s += all[r * kHead + d] * all[(queries + j) * kHead + d];
            sum += std::exp(s);
            for (int d = 0; d < kHead; ++d)
                value[d] += std::exp(s) * all[(queries + len + j) * kHead + d];
        }
        for (int d = 0; d < kHead; ++d)
            expect(std::abs(got[r * kHead + d] - value[d] / sum) < 1e-4, "attention");
    }
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {
                        {"sum_with_two_stages", sum_with_two_stages},
                        {"planes_in_a_ring", planes_in_a_ring},
                        {"loaders_and_workers", loaders_and_workers},
                        {"last_piece_filled_with_zeros", last_piece_filled_with_zeros},
                        {"private_slices_need_no_barrier", private_slices_need_no_barrier},
                        {"next_tile_in_registers", next_tile_in_registers},
                        {"product_in_four_stages", product_in_four_stages},
                        {"relay_of_warps", relay_of_warps},
                        {"rows_staged_by_warps", rows_staged_by_warps},
                        {"keys_and_values_in_tiles", keys_and_values_in_tiles},
                    });
}
