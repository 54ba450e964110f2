// Demonstrates features of shared memory, warps and registers, one feature per kernel.
// Long: the file has many small kernels on one theme, each with the example that checks it.
#include <cooperative_groups.h>
#include <cuda_pipeline.h>

#include "tutorial.h"

using namespace tutorial;
namespace cg = cooperative_groups;

namespace {

constexpr int kThreads = 256;

int length() {
    return pick(1 << 23, 1 << 15);
}

/// Returns an example of kernel(out, in) with `per_block` elements per block. The kernel must set
/// element i of `out` to `expected(i)`.
template <class T, class Kernel, class F>
Example of_blocks(Kernel kernel, const Buffer<T>& in, int per_block, F expected,
                  double tolerance = 0) {
    const int blocks = static_cast<int>(in.size()) / per_block;
    const Buffer<T> out = zeros<T>(in.size());
    return {[=] { kernel<<<blocks, kThreads>>>(out.get(), in.get()); },
            [=] {
                return compare(
                    out, [&](std::size_t i) { return expected(in.start(), i); }, tolerance);
            }};
}

/// Reads shared memory with the given stride (in words) between consecutive threads.
template <int stride>
__device__ void read_with_stride(float* out, const float* in) {
    __shared__ float s[1024];
    for (int k = threadIdx.x; k < 1024; k += kThreads) s[k] = in[k];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 32; ++k) sum += s[(threadIdx.x * stride + k * 33) % 1024];
    out[blockIdx.x * kThreads + threadIdx.x] = sum;
}

template <class Kernel>
Example strided_sums(Kernel kernel, std::size_t stride) {
    const int n = pick(1 << 22, 1 << 14);
    const Buffer<float> in = floats(1024), out = zeros<float>(n);
    const auto expected = [=](std::size_t i) {
        return sum_of(0, 32, [&](std::size_t k) {
            return in.start((i % kThreads * stride + k * 33) % 1024);
        });
    };
    return {[=] { kernel<<<n / kThreads, kThreads>>>(out.get(), in.get()); },
            [=] { return compare(out, expected, 1e-4); }};
}

}  // namespace

__global__ void bank_stride_1(float* out, const float* in) {
    read_with_stride<1>(out, in);
}
EXAMPLE(bank_stride_1) {
    return strided_sums(bank_stride_1, 1);
}
__global__ void bank_stride_2(float* out, const float* in) {
    read_with_stride<2>(out, in);
}
EXAMPLE(bank_stride_2) {
    return strided_sums(bank_stride_2, 2);
}
__global__ void bank_stride_8(float* out, const float* in) {
    read_with_stride<8>(out, in);
}
EXAMPLE(bank_stride_8) {
    return strided_sums(bank_stride_8, 8);
}
__global__ void bank_stride_32(float* out, const float* in) {
    read_with_stride<32>(out, in);
}
EXAMPLE(bank_stride_32) {
    return strided_sums(bank_stride_32, 32);
}
__global__ void bank_stride_33(float* out, const float* in) {
    read_with_stride<33>(out, in);
}
EXAMPLE(bank_stride_33) {
    return strided_sums(bank_stride_33, 33);
}

// Adds four adjacent words of shared memory per thread.
__global__ void four_neighbour_sums(float* out, const float* in) {
    __shared__ float s[4 * kThreads];
    const int t = threadIdx.x;
    for (int k = 0; k < 4; ++k)
        s[k * kThreads + t] = in[blockIdx.x * 4 * kThreads + k * kThreads + t];
    __syncthreads();
    const float sum = s[4 * t] + s[4 * t + 1] + s[4 * t + 2] + s[4 * t + 3];
    for (int k = 0; k < 4; ++k) out[blockIdx.x * 4 * kThreads + k * kThreads + t] = sum * (k + 1);
}
EXAMPLE(four_neighbour_sums) {
    return of_blocks(
        four_neighbour_sums, floats(length()), 4 * kThreads,
        [](const std::vector<float>& in, std::size_t i) {
            const std::size_t block = i / 1024 * 1024, first = block + i % 256 * 4,
                              k = i % 1024 / 256;
            return (in[first] + in[first + 1] + in[first + 2] + in[first + 3]) *
                   static_cast<float>(k + 1);
        },
        1e-5);
}

// Stores four adjacent words of shared memory per thread.
__global__ void four_neighbour_stores(float* out, const float* in) {
    __shared__ float s[4 * kThreads];
    const int t = threadIdx.x, first = blockIdx.x * 4 * kThreads;
    for (int k = 0; k < 4; ++k) s[4 * t + k] = in[first + k * kThreads + t];
    __syncthreads();
    for (int k = 0; k < 4; ++k) out[first + k * kThreads + t] = s[k * kThreads + t];
}
EXAMPLE(four_neighbour_stores) {
    return of_blocks(four_neighbour_stores, floats(length()), 4 * kThreads,
                     [](const std::vector<float>& in, std::size_t i) {
                         const std::size_t at = i % 1024;
                         return in[i / 1024 * 1024 + at % 4 * 256 + at / 4];
                     });
}

// Reads pairs of adjacent words that start at odd indices.
__global__ void pairs_at_odd_places(float* out, const float* in) {
    __shared__ float s[2 * kThreads + 1];
    const int t = threadIdx.x, first = blockIdx.x * 2 * kThreads;
    if (t == 0) s[2 * kThreads] = 0;
    s[t] = in[first + t];
    s[kThreads + t] = in[first + kThreads + t];
    __syncthreads();
    const float a = s[2 * t + 1], b = s[2 * t + 2];
    out[first + t] = a + b;
    out[first + kThreads + t] = a - b;
}
EXAMPLE(pairs_at_odd_places) {
    return of_blocks(
        pairs_at_odd_places, floats(length()), 2 * kThreads,
        [](const std::vector<float>& in, std::size_t i) {
            const std::size_t block = i / 512 * 512, t = i % 256;
            const float a = in[block + 2 * t + 1], b = t == 255 ? 0 : in[block + 2 * t + 2];
            return i % 512 < 256 ? a + b : a - b;
        },
        1e-6);
}

// Reverses vectors in shared memory.
__global__ void shared_float4_reverse(float4* out, const float4* in) {
    __shared__ float4 s[kThreads];
    s[threadIdx.x] = in[blockIdx.x * kThreads + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * kThreads + threadIdx.x] = s[kThreads - 1 - threadIdx.x];
}
EXAMPLE(shared_float4_reverse) {
    const int n = length() / 2;
    const auto in =
        filled(n, [](std::size_t i) { return make_float4(static_cast<float>(i % 1000), 0, 0, 1); });
    const auto out = zeros<float4>(n);
    return {[=] { shared_float4_reverse<<<n / kThreads, kThreads>>>(out, in); },
            [=] {
                std::vector<float> firsts;
                for (const float4& v : out.read()) firsts.push_back(v.x);
                return compare(firsts, [&](std::size_t i) {
                    return in.start(i / 256 * 256 + 255 - i % 256).x;
                });
            }};
}

__global__ void shared_double_reverse(double* out, const double* in) {
    __shared__ double s[kThreads];
    s[threadIdx.x] = in[blockIdx.x * kThreads + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * kThreads + threadIdx.x] = s[kThreads - 1 - threadIdx.x];
}
EXAMPLE(shared_double_reverse) {
    return of_blocks(shared_double_reverse, doubles(length()), kThreads,
                     [](const std::vector<double>& in, std::size_t i) {
                         return in[i / kThreads * kThreads + kThreads - 1 - i % kThreads];
                     });
}

__global__ void shared_byte_reverse(unsigned char* out, const unsigned char* in) {
    __shared__ unsigned char s[kThreads];
    s[threadIdx.x] = in[blockIdx.x * kThreads + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * kThreads + threadIdx.x] = s[kThreads - 1 - threadIdx.x];
}
EXAMPLE(shared_byte_reverse) {
    const auto in = integers<unsigned char>(2 * length(), 256);
    return of_blocks(shared_byte_reverse, in, kThreads,
                     [](const std::vector<unsigned char>& values, std::size_t i) {
                         return values[i / kThreads * kThreads + kThreads - 1 - i % kThreads];
                     });
}

// Reverses an array in dynamic shared memory, a common example in tutorials.
__global__ void dynamic_reverse(int* out, const int* in, int n) {
    extern __shared__ int s[];
    const int t = threadIdx.x;
    s[t] = in[blockIdx.x * n + t];
    __syncthreads();
    out[blockIdx.x * n + t] = s[n - t - 1];
}
EXAMPLE(dynamic_reverse) {
    const int n = length(), run = 512;
    const Buffer<int> in = integers(n, 1000), out = zeros<int>(n);
    return {[=] { dynamic_reverse<<<n / run, run, run * sizeof(int)>>>(out, in, run); },
            [=] {
                return compare(
                    out, [&](std::size_t i) { return in.start(i / 512 * 512 + 511 - i % 512); });
            }};
}

// Stores structs of three floats in shared memory.
struct Triple {
    float x, y, z;
};
__global__ void shared_structs(float* out, const float* in) {
    __shared__ Triple s[kThreads];
    const int t = threadIdx.x, i = blockIdx.x * kThreads + t;
    const float v = in[i];
    s[t] = {v, 2 * v, 3 * v};
    __syncthreads();
    const Triple next = s[(t + 1) % kThreads];
    out[i] = next.x + next.y * next.z;
}
EXAMPLE(shared_structs) {
    return of_blocks(
        shared_structs, floats(length()), kThreads,
        [](const std::vector<float>& in, std::size_t i) {
            const float v = in[i / kThreads * kThreads + (i + 1) % kThreads];
            return v + 6 * v * v;
        },
        1e-5);
}

// Reads words of shared memory at random indices.
__global__ void shared_random_reads(float* out, const float* in) {
    __shared__ float s[kThreads];
    const int t = threadIdx.x, i = blockIdx.x * kThreads + t;
    s[t] = in[i];
    __syncthreads();
    unsigned at = t;
    float sum = 0;
    for (int k = 0; k < 16; ++k) {
        at = (at * 1664525u + 1013904223u) >> 3;
        sum += s[at % kThreads];
    }
    out[i] = sum;
}
EXAMPLE(shared_random_reads) {
    return of_blocks(
        shared_random_reads, floats(length() / 2), kThreads,
        [](const std::vector<float>& in, std::size_t i) {
            auto at = static_cast<std::uint32_t>(i % kThreads);
            float sum = 0;
            for (int k = 0; k < 16; ++k) {
                at = (at * 1664525u + 1013904223u) >> 3;
                sum += in[i / kThreads * kThreads + at % kThreads];
            }
            return sum;
        },
        1e-5);
}

// Reads the same word in all threads, which the hardware broadcasts.
__global__ void shared_broadcast(float* out, const float* in) {
    __shared__ float s[64];
    if (threadIdx.x < 64) s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    const int i = blockIdx.x * kThreads + threadIdx.x;
    float value = in[i];
    for (int k = 0; k < 64; ++k) value = value * 0.5f + s[k];
    out[i] = value;
}
EXAMPLE(shared_broadcast) {
    return of_blocks(
        shared_broadcast, floats(length()), kThreads,
        [](const std::vector<float>& in, std::size_t i) {
            float value = in[i];
            for (std::size_t k = 0; k < 64; ++k) value = value * 0.5f + in[k];
            return value;
        },
        1e-5);
}

// Adds up a row of a 32 x 32 matrix per thread, with bank conflicts.
__global__ void shared_row_sums(float* out, const float* in) {
    __shared__ float s[32][32];
    for (int r = threadIdx.x / 32; r < 32; r += kThreads / 32)
        s[r][threadIdx.x % 32] = in[blockIdx.x * 1024 + r * 32 + threadIdx.x % 32];
    __syncthreads();
    if (threadIdx.x >= 32) return;
    float sum = 0;
    for (int c = 0; c < 32; ++c) sum += s[threadIdx.x][c];
    out[blockIdx.x * 32 + threadIdx.x] = sum;
}

// Adds up a padded row per thread, without bank conflicts.
__global__ void shared_row_sums_padded(float* out, const float* in) {
    __shared__ float s[32][33];
    for (int r = threadIdx.x / 32; r < 32; r += kThreads / 32)
        s[r][threadIdx.x % 32] = in[blockIdx.x * 1024 + r * 32 + threadIdx.x % 32];
    __syncthreads();
    if (threadIdx.x >= 32) return;
    float sum = 0;
    for (int c = 0; c < 32; ++c) sum += s[threadIdx.x][c];
    out[blockIdx.x * 32 + threadIdx.x] = sum;
}

namespace {

template <class Kernel>
Example row_sums(Kernel kernel) {
    const int n = length();
    const Buffer<float> in = floats(n), out = zeros<float>(n / 32);
    const auto sum = [=](std::size_t r) {
        return sum_of(r * 32, r * 32 + 32, [&](std::size_t i) { return in.start(i); });
    };
    return {[=] { kernel<<<n / 1024, kThreads>>>(out.get(), in.get()); },
            [=] { return compare(out, sum, 1e-5); }};
}

}  // namespace

EXAMPLE(shared_row_sums) {
    return row_sums(shared_row_sums);
}
EXAMPLE(shared_row_sums_padded) {
    return row_sums(shared_row_sums_padded);
}

// Copies four bytes per thread asynchronously.
__global__ void async_copy_words(float* out, const float* in) {
    __shared__ float s[kThreads];
    const int t = threadIdx.x, i = blockIdx.x * kThreads + t;
    __pipeline_memcpy_async(s + t, in + i, sizeof(float));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[i] = s[t ^ 1];
}
EXAMPLE(async_copy_words) {
    return of_blocks(async_copy_words, floats(2 * length()), kThreads,
                     [](const std::vector<float>& in, std::size_t i) { return in[i ^ 1]; });
}

// Copies sixteen bytes per thread and stage asynchronously, with two stages in flight.
__global__ void async_copy_stages(float4* out, const float4* in, int turns) {
    __shared__ float4 s[2][kThreads];
    const int t = threadIdx.x, first = blockIdx.x * kThreads * turns + t;
    __pipeline_memcpy_async(&s[0][t], in + first, sizeof(float4));
    __pipeline_commit();
    for (int k = 0; k < turns; ++k) {
        if (k + 1 < turns)
            __pipeline_memcpy_async(&s[(k + 1) % 2][t], in + first + (k + 1) * kThreads,
                                    sizeof(float4));
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        float4 v = s[k % 2][kThreads - 1 - t];
        v.x += 1;
        out[first + k * kThreads] = v;
        __syncthreads();
    }
}
EXAMPLE(async_copy_stages) {
    const int n = length(), turns = 8;
    const auto in =
        filled(n, [](std::size_t i) { return make_float4(static_cast<float>(i % 1000), 0, 0, 1); });
    const auto out = zeros<float4>(n);
    return {[=] { async_copy_stages<<<n / kThreads / turns, kThreads>>>(out, in, turns); },
            [=] {
                std::vector<float> firsts;
                for (const float4& v : out.read()) firsts.push_back(v.x);
                return compare(firsts, [&](std::size_t i) {
                    return in.start(i / 256 * 256 + 255 - i % 256).x + 1;
                });
            }};
}

// Rotates values between the lanes of a warp.
__global__ void warp_rotate(float* out, const float* in) {
    const int i = blockIdx.x * kThreads + threadIdx.x;
    out[i] = __shfl_sync(0xffffffffu, in[i], (threadIdx.x + 5) % 32);
}
EXAMPLE(warp_rotate) {
    return of_blocks(
        warp_rotate, floats(2 * length()), kThreads,
        [](const std::vector<float>& in, std::size_t i) { return in[i / 32 * 32 + (i + 5) % 32]; });
}

// Counts the lanes with the same value as each lane.
__global__ void warp_match(int* out, const int* in) {
    const int i = blockIdx.x * kThreads + threadIdx.x;
    out[i] = __popc(__match_any_sync(0xffffffffu, in[i]));
}
EXAMPLE(warp_match) {
    return of_blocks(
        warp_match, integers(length(), 8), kThreads, [](const std::vector<int>& in, std::size_t i) {
            return std::count(in.begin() + static_cast<std::ptrdiff_t>(i / 32 * 32),
                              in.begin() + static_cast<std::ptrdiff_t>(i / 32 * 32 + 32), in[i]);
        });
}

// Finds the maximum of each tile of eight lanes.
__global__ void tile_maxima(int* out, const int* in) {
    const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    const int i = blockIdx.x * kThreads + threadIdx.x;
    int most = in[i];
    for (int offset = tile.size() / 2; offset > 0; offset /= 2)
        most = max(most, tile.shfl_xor(most, offset));
    out[i] = most;
}
EXAMPLE(tile_maxima) {
    return of_blocks(tile_maxima, integers(length(), 1000), kThreads,
                     [](const std::vector<int>& in, std::size_t i) {
                         const auto first = in.begin() + static_cast<std::ptrdiff_t>(i / 8 * 8);
                         return *std::max_element(first, first + 8);
                     });
}

// Indexes a per-thread array with input values, which forces the array into local memory.
__global__ void local_array(int* out, const int* in) {
    int counts[16] = {};
    const int first = blockIdx.x * kThreads * 8 + threadIdx.x;
    for (int k = 0; k < 8; ++k) ++counts[in[first + k * kThreads]];
    for (int k = 0; k < 8; ++k) out[first + k * kThreads] = counts[in[first + k * kThreads]];
}
EXAMPLE(local_array) {
    return of_blocks(local_array, integers(length() / 2, 16), 8 * kThreads,
                     [](const std::vector<int>& in, std::size_t i) {
                         const std::size_t first = i / 2048 * 2048 + i % 256;
                         int count = 0;
                         for (std::size_t k = 0; k < 8; ++k) count += in[first + k * 256] == in[i];
                         return count;
                     });
}

// Alternates between two shared arrays, with a barrier in each iteration.
__global__ void shared_ping_pong(float* out, const float* in) {
    __shared__ float s[2][kThreads];
    const int t = threadIdx.x, i = blockIdx.x * kThreads + t;
    s[0][t] = in[i];
    __syncthreads();
    for (int k = 0; k < 32; ++k) {
        const float* now = s[k % 2];
        s[(k + 1) % 2][t] = 0.5f * (now[(t + 1) % kThreads] + now[(t + kThreads - 1) % kThreads]);
        __syncthreads();
    }
    out[i] = s[0][t];
}
EXAMPLE(shared_ping_pong) {
    const int n = pick(1 << 21, 1 << 14);
    const Buffer<float> in = floats(n), out = zeros<float>(n);
    return {[=] { shared_ping_pong<<<n / kThreads, kThreads>>>(out, in); },
            [=] {
                std::vector<float> now = in.start(), next(now.size());
                for (int k = 0; k < 32; ++k) {
                    for (std::size_t i = 0; i < now.size(); ++i) {
                        const std::size_t block = i / kThreads * kThreads, t = i % kThreads;
                        next[i] = 0.5f * (now[block + (t + 1) % kThreads] +
                                          now[block + (t + kThreads - 1) % kThreads]);
                    }
                    now.swap(next);
                }
                return compare(
                    out, [&](std::size_t i) { return now[i]; }, 1e-5);
            }};
}

// Counts with 64-bit counters in shared memory.
__global__ void shared_long_counters(unsigned long long* out, const unsigned long long* in) {
    __shared__ unsigned long long s[32];
    if (threadIdx.x < 32) s[threadIdx.x] = 0;
    __syncthreads();
    const int i = blockIdx.x * kThreads + threadIdx.x;
    atomicAdd(s + in[i] % 32, in[i]);
    __syncthreads();
    out[i] = s[threadIdx.x % 32];
}
EXAMPLE(shared_long_counters) {
    const auto in = integers<unsigned long long>(length() / 4, 1u << 30);
    return of_blocks(shared_long_counters, in, kThreads,
                     [](const std::vector<unsigned long long>& values, std::size_t i) {
                         unsigned long long sum = 0;
                         for (std::size_t k = i / 256 * 256; k < i / 256 * 256 + 256; ++k)
                             sum += values[k] % 32 == i % 32 ? values[k] : 0;
                         return sum;
                     });
}

// Adds floats with atomics in shared memory.
__global__ void shared_float_atomics(float* out, const float* in) {
    __shared__ float s[32];
    if (threadIdx.x < 32) s[threadIdx.x] = 0;
    __syncthreads();
    const int i = blockIdx.x * kThreads + threadIdx.x;
    atomicAdd(s + threadIdx.x / 8, in[i]);
    __syncthreads();
    out[i] = s[threadIdx.x % 32];
}
EXAMPLE(shared_float_atomics) {
    return of_blocks(
        shared_float_atomics, floats(length() / 4), kThreads,
        [](const std::vector<float>& in, std::size_t i) {
            const std::size_t first = i / 256 * 256 + i % 32 * 8;
            return sum_of(first, first + 8, [&](std::size_t k) { return in[k]; });
        },
        1e-5);
}
