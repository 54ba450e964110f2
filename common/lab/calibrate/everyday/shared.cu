// Everyday kernels that work in shared memory: products, reductions, scans, sorts, histograms, normalisations.
#include "bench.h"

namespace everyday {
namespace {

__global__ void sum_by_halves(const float* in, float* out, int n) {
    __shared__ float part[256];
    const int t = threadIdx.x, i = blockIdx.x * 256 + t;
    part[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int s = 128; s > 0; s /= 2) {
        if (t < s) part[t] += part[t + s];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = part[0];
}
__global__ void sum_interleaved(const float* in, float* out, int n) {
    __shared__ float part[256];
    const int t = threadIdx.x, i = blockIdx.x * 256 + t;
    part[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int s = 1; s < 256; s *= 2) {
        if (t % (2 * s) == 0) part[t] += part[t + s];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = part[0];
}
__global__ void sum_by_shuffles(const float* in, float* out, int n) {
    __shared__ float part[8];
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < 8; ++k) sum += part[k];
        atomicAdd(out, sum);
    }
}
__global__ void count_atomically(const unsigned char* in, unsigned* bins, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[in[i]], 1u);
}
__global__ void histogram_shared(const unsigned char* in, unsigned* bins, int n) {
    __shared__ unsigned mine[256];
    mine[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[in[i]], 1u);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}
__global__ void scan_by_doubling(const float* in, float* out) {
    __shared__ float s[2][512];
    const int t = threadIdx.x;
    int from = 0;
    s[0][t] = in[blockIdx.x * 512 + t];
    __syncthreads();
    for (int d = 1; d < 512; d *= 2) {
        s[1 - from][t] = t >= d ? s[from][t] + s[from][t - d] : s[from][t];
        from = 1 - from;
        __syncthreads();
    }
    out[blockIdx.x * 512 + t] = s[from][t];
}
__global__ void scan_by_tree(const float* in, float* out) {
    __shared__ float s[1024];
    const int t = threadIdx.x;
    s[2 * t] = in[blockIdx.x * 1024 + 2 * t];
    s[2 * t + 1] = in[blockIdx.x * 1024 + 2 * t + 1];
    int offset = 1;
    for (int d = 512; d > 0; d /= 2) {
        __syncthreads();
        if (t < d) s[offset * (2 * t + 2) - 1] += s[offset * (2 * t + 1) - 1];
        offset *= 2;
    }
    if (t == 0) s[1023] = 0;
    for (int d = 1; d < 1024; d *= 2) {
        offset /= 2;
        __syncthreads();
        if (t < d) {
            const float left = s[offset * (2 * t + 1) - 1];
            s[offset * (2 * t + 1) - 1] = s[offset * (2 * t + 2) - 1];
            s[offset * (2 * t + 2) - 1] += left;
        }
    }
    __syncthreads();
    out[blockIdx.x * 1024 + 2 * t] = s[2 * t];
    out[blockIdx.x * 1024 + 2 * t + 1] = s[2 * t + 1];
}
__global__ void scan_in_warps(const float* in, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    float v = i < n ? in[i] : 0;
    for (int d = 1; d < 32; d *= 2) {
        const float u = __shfl_up_sync(~0u, v, d);
        if (lane >= d) v += u;
    }
    if (i < n) out[i] = v;
}
__global__ void sort_bitonic(const int* in, int* out) {
    __shared__ int s[1024];
    const int t = threadIdx.x;
    s[t] = in[blockIdx.x * 1024 + t];
    s[t + 512] = in[blockIdx.x * 1024 + t + 512];
    for (int k = 2; k <= 1024; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            __syncthreads();
            const int i = 2 * t - (t & (j - 1)), other = i + j;
            const int x = s[i], y = s[other];
            if ((x > y) == ((i & k) == 0)) {
                s[i] = y;
                s[other] = x;
            }
        }
    __syncthreads();
    out[blockIdx.x * 1024 + t] = s[t];
    out[blockIdx.x * 1024 + t + 512] = s[t + 512];
}
__global__ void softmax_rows(const float* in, float* out, int width) {
    __shared__ float part[256];
    const float* row = in + static_cast<size_t>(blockIdx.x) * width;
    float most = -1e30f;
    for (int x = threadIdx.x; x < width; x += 256) most = fmaxf(most, row[x]);
    part[threadIdx.x] = most;
    __syncthreads();
    for (int s = 128; s > 0; s /= 2) {
        if (threadIdx.x < s) part[threadIdx.x] = fmaxf(part[threadIdx.x], part[threadIdx.x + s]);
        __syncthreads();
    }
    most = part[0];
    __syncthreads();
    float sum = 0;
    for (int x = threadIdx.x; x < width; x += 256) sum += expf(row[x] - most);
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int s = 128; s > 0; s /= 2) {
        if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
        __syncthreads();
    }
    sum = part[0];
    for (int x = threadIdx.x; x < width; x += 256)
        out[static_cast<size_t>(blockIdx.x) * width + x] = expf(row[x] - most) / sum;
}
__global__ void multiply_naive(const float* a, const float* b, float* c, int n) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; ++k) sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}
template <int T>
__global__ void multiply_tiled(const float* a, const float* b, float* c, int n) {
    __shared__ float ta[T][T], tb[T][T];
    const int x = blockIdx.x * T + threadIdx.x, y = blockIdx.y * T + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k += T) {
        ta[threadIdx.y][threadIdx.x] = a[y * n + k + threadIdx.x];
        tb[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + x];
        __syncthreads();
        for (int j = 0; j < T; ++j) sum += ta[threadIdx.y][j] * tb[j][threadIdx.x];
        __syncthreads();
    }
    c[y * n + x] = sum;
}
/// Each thread computes TM x TN cells of a BM x BN tile.
template <int BM, int BN, int BK, int TM, int TN>
__global__ void multiply_blocks(const float* a, const float* b, float* c, int n) {
    __shared__ float ta[BM * BK], tb[BK * BN];
    constexpr int threads = BM * BN / (TM * TN);
    const int col = threadIdx.x % (BN / TN), row = threadIdx.x / (BN / TN);
    float sums[TM][TN] = {}, ra[TM], rb[TN];
    const float *from_a = a + blockIdx.y * BM * n, *from_b = b + blockIdx.x * BN;
    for (int k = 0; k < n; k += BK) {
        for (int i = threadIdx.x; i < BM * BK; i += threads) ta[i] = from_a[(i / BK) * n + i % BK];
        for (int i = threadIdx.x; i < BK * BN; i += threads) tb[i] = from_b[(i / BN) * n + i % BN];
        __syncthreads();
        from_a += BK;
        from_b += BK * n;
        for (int j = 0; j < BK; ++j) {
            for (int i = 0; i < TM; ++i) ra[i] = ta[(row * TM + i) * BK + j];
            for (int i = 0; i < TN; ++i) rb[i] = tb[j * BN + col * TN + i];
            for (int p = 0; p < TM; ++p)
                for (int q = 0; q < TN; ++q) sums[p][q] += ra[p] * rb[q];
        }
        __syncthreads();
    }
    for (int p = 0; p < TM; ++p)
        for (int q = 0; q < TN; ++q)
            c[(blockIdx.y * BM + row * TM + p) * n + blockIdx.x * BN + col * TN + q] = sums[p][q];
}
__global__ void reverse_doubles(const double* in, double* out) {
    __shared__ double s[256];
    const int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[t] = in[i];
    __syncthreads();
    out[i] = s[255 - t];
}
template <int STRIDE>
__global__ void conflicts(const float* in, float* out) {
    __shared__ float s[256 * 4];
    const int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[t] = in[i];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 64; ++k) sum += s[(t * STRIDE + k) % 256];
    out[i] = sum;
}
__global__ void smooth_shared(const float* in, float* out, int n) {
    __shared__ float s[256 + 8];
    const int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[t + 4] = in[i];
    if (t < 4) {
        s[t] = i >= 4 ? in[i - 4] : 0;
        s[t + 260] = i + 256 < n ? in[i + 256] : 0;
    }
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 9; ++k) sum += s[t + k];
    out[i] = sum / 9;
}

}  // namespace

std::vector<Case> shared_cases(const Buffers& m) {
    std::vector<Case> cases;
    const auto add = [&](const char* name, std::function<void()> launch) {
        cases.push_back({name, std::move(launch)});
    };
    const int big = 1 << 24, n = 2048;
    add("sum_by_halves", [=] { sum_by_halves<<<big / 256, 256>>>(m.a, m.b, big); });
    add("sum_interleaved", [=] { sum_interleaved<<<big / 256, 256>>>(m.a, m.b, big); });
    add("sum_by_shuffles", [=] { sum_by_shuffles<<<1056, 256>>>(m.a, m.b, big); });
    add("count_atomically", [=] {
        count_atomically<<<big / 256, 256>>>((const unsigned char*)m.a, (unsigned*)m.b, big);
    });
    add("histogram_shared",
        [=] { histogram_shared<<<1056, 256>>>((const unsigned char*)m.a, (unsigned*)m.b, big); });
    add("scan_by_doubling", [=] { scan_by_doubling<<<big / 512, 512>>>(m.a, m.b); });
    add("scan_by_tree", [=] { scan_by_tree<<<big / 1024, 512>>>(m.a, m.b); });
    add("scan_in_warps", [=] { scan_in_warps<<<big / 256, 256>>>(m.a, m.b, big); });
    add("sort_bitonic",
        [=] { sort_bitonic<<<big / 1024, 512>>>((const int*)m.shuffled, (int*)m.b); });
    add("softmax_rows", [=] { softmax_rows<<<16384, 256>>>(m.a, m.b, 1024); });
    add("multiply_naive",
        [=] { multiply_naive<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(m.a, m.b, m.c, n); });
    add("multiply_tiled_16",
        [=] { multiply_tiled<16><<<dim3(n / 16, n / 16), dim3(16, 16)>>>(m.a, m.b, m.c, n); });
    add("multiply_tiled_32",
        [=] { multiply_tiled<32><<<dim3(n / 32, n / 32), dim3(32, 32)>>>(m.a, m.b, m.c, n); });
    add("multiply_1d",
        [=] { multiply_blocks<64, 64, 8, 8, 1><<<dim3(n / 64, n / 64), 512>>>(m.a, m.b, m.c, n); });
    add("multiply_2d", [=] {
        multiply_blocks<128, 128, 8, 8, 8><<<dim3(n / 128, n / 128), 256>>>(m.a, m.b, m.c, n);
    });
    add("multiply_4x4", [=] {
        multiply_blocks<64, 64, 16, 4, 4><<<dim3(n / 64, n / 64), 256>>>(m.a, m.b, m.c, n);
    });
    add("reverse_doubles",
        [=] { reverse_doubles<<<big / 256, 256>>>((const double*)m.a, (double*)m.b); });
    add("conflicts_1", [=] { conflicts<1><<<big / 256, 256>>>(m.a, m.b); });
    add("conflicts_2", [=] { conflicts<2><<<big / 256, 256>>>(m.a, m.b); });
    add("conflicts_8", [=] { conflicts<8><<<big / 256, 256>>>(m.a, m.b); });
    add("smooth_shared", [=] { smooth_shared<<<big / 256, 256>>>(m.a, m.b, big); });
    return cases;
}

}  // namespace everyday
