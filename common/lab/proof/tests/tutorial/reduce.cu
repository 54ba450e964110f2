// Reductions, in the order in which courses usually present them.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "tutorial.h"

using namespace tutorial;
namespace cg = cooperative_groups;

namespace {

constexpr int kThreads = 256;

int length() {
    return pick(1 << 23, 1 << 17);
}

/// Compares each block's output with the sum of its `per_block` elements.
std::string compare_sums(const Buffer<float>& out, const Buffer<float>& in, int per_block) {
    const auto sum = [&](std::size_t b) {
        const auto begin = b * static_cast<std::size_t>(per_block);
        return sum_of(begin, begin + static_cast<std::size_t>(per_block),
                      [&](std::size_t i) { return in.start(i); });
    };
    return compare(out, sum, 1e-4, 2000);
}

/// Returns an example whose kernel writes the sum of the elements of each block.
template <class Kernel>
Example block_sums(Kernel kernel, int per_thread) {
    const int n = length(), per_block = kThreads * per_thread;
    const Buffer<float> in = floats(n), out = zeros<float>(n / per_block);
    return {[=] { kernel<<<n / per_block, kThreads>>>(out.get(), in.get()); },
            [=] { return compare_sums(out, in, per_block); }};
}

/// Returns an example whose kernel adds all elements to one float.
template <class Kernel>
Example whole_sum(Kernel kernel, int blocks, int n) {
    const Buffer<float> in = floats(n), out = zeros<float>(1);
    const double sum = sum_of(0, in.size(), [&](std::size_t i) { return in.start(i); });
    return {[=] { kernel<<<blocks, kThreads>>>(out.get(), in.get(), n); },
            [=] {
                return compare(
                    out, [=](std::size_t) { return sum; }, 1e-3);
            },
            [=] { out.restore(); }};
}

}  // namespace

// Adds in every second thread, then in every fourth, and so on, as most courses do first.
__global__ void reduce_interleaved_modulo(float* out, const float* in) {
    __shared__ float s[kThreads];
    const unsigned t = threadIdx.x;
    s[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        if (t % (2 * stride) == 0) s[t] += s[t + stride];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
EXAMPLE(reduce_interleaved_modulo) {
    return block_sums(reduce_interleaved_modulo, 1);
}

// Adds in consecutive threads, whose strided accesses cause bank conflicts.
__global__ void reduce_interleaved_strided(float* out, const float* in) {
    __shared__ float s[kThreads];
    const unsigned t = threadIdx.x;
    s[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        const unsigned at = 2 * stride * t;
        if (at < blockDim.x) s[at] += s[at + stride];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
EXAMPLE(reduce_interleaved_strided) {
    return block_sums(reduce_interleaved_strided, 1);
}

// Adds with sequential addressing, which avoids bank conflicts.
__global__ void reduce_sequential(float* out, const float* in) {
    __shared__ float s[kThreads];
    const unsigned t = threadIdx.x;
    s[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (unsigned stride = blockDim.x / 2; stride > 0; stride >>= 1) {
        if (t < stride) s[t] += s[t + stride];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
EXAMPLE(reduce_sequential) {
    return block_sums(reduce_sequential, 1);
}

// Performs the first addition while the elements are loaded.
__global__ void reduce_first_add(float* out, const float* in) {
    __shared__ float s[kThreads];
    const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x * 2 + t;
    s[t] = in[i] + in[i + blockDim.x];
    __syncthreads();
    for (unsigned stride = blockDim.x / 2; stride > 0; stride >>= 1) {
        if (t < stride) s[t] += s[t + stride];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
EXAMPLE(reduce_first_add) {
    return block_sums(reduce_first_add, 2);
}

// Adds without a block-wide barrier in the last warp.
__global__ void reduce_last_warp(float* out, const float* in) {
    __shared__ float s[kThreads];
    const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x * 2 + t;
    s[t] = in[i] + in[i + blockDim.x];
    __syncthreads();
    for (unsigned stride = blockDim.x / 2; stride > 32; stride >>= 1) {
        if (t < stride) s[t] += s[t + stride];
        __syncthreads();
    }
    if (t < 32) {
        float v = s[t] + s[t + 32];
        for (int stride = 16; stride > 0; stride /= 2) {
            s[t] = v;
            __syncwarp();
            v += s[(t + stride) % 32];
            __syncwarp();
        }
        if (t == 0) out[blockIdx.x] = v;
    }
}
EXAMPLE(reduce_last_warp) {
    return block_sums(reduce_last_warp, 2);
}

// Unrolls the loop completely, because the block size is known at compile time.
template <unsigned block_size>
__global__ void reduce_unrolled(float* out, const float* in) {
    __shared__ float s[block_size];
    const unsigned t = threadIdx.x, i = blockIdx.x * block_size * 2 + t;
    s[t] = in[i] + in[i + block_size];
    __syncthreads();
#pragma unroll
    for (unsigned stride = block_size / 2; stride > 0; stride >>= 1) {
        if (t < stride) s[t] += s[t + stride];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
EXAMPLE(reduce_unrolled) {
    return block_sums(reduce_unrolled<kThreads>, 2);
}

// Adds eight elements per thread while loading them.
__global__ void reduce_multiple_loads(float* out, const float* in) {
    __shared__ float s[kThreads];
    const unsigned t = threadIdx.x, first = blockIdx.x * blockDim.x * 8 + t;
    float sum = 0;
#pragma unroll
    for (unsigned k = 0; k < 8; ++k) sum += in[first + k * kThreads];
    s[t] = sum;
    __syncthreads();
    for (unsigned stride = blockDim.x / 2; stride > 0; stride >>= 1) {
        if (t < stride) s[t] += s[t + stride];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
EXAMPLE(reduce_multiple_loads) {
    return block_sums(reduce_multiple_loads, 8);
}

namespace {

__device__ float warp_sum(float v) {
    for (int offset = 16; offset > 0; offset /= 2) v += __shfl_down_sync(0xffffffffu, v, offset);
    return v;
}

/// Returns the sum over the block, in thread 0.
__device__ float block_sum(float v) {
    __shared__ float of_warps[32];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    v = warp_sum(v);
    if (lane == 0) of_warps[warp] = v;
    __syncthreads();
    v = threadIdx.x < blockDim.x / 32 ? of_warps[lane] : 0.0f;
    return warp == 0 ? warp_sum(v) : 0.0f;
}

}  // namespace

// Adds with shuffles within a warp, and through shared memory between warps.
__global__ void reduce_shuffle(float* out, const float* in) {
    const float sum = block_sum(in[blockIdx.x * blockDim.x + threadIdx.x]);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
EXAMPLE(reduce_shuffle) {
    return block_sums(reduce_shuffle, 1);
}

// Loads four floats per thread, and then adds with shuffles.
__global__ void reduce_float4(float* out, const float* in) {
    const float4 v = reinterpret_cast<const float4*>(in)[blockIdx.x * blockDim.x + threadIdx.x];
    const float sum = block_sum(v.x + v.y + v.z + v.w);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
EXAMPLE(reduce_float4) {
    return block_sums(reduce_float4, 4);
}

// Adds with tiles of cooperative groups instead of shuffles.
__global__ void reduce_tiles(float* out, const float* in) {
    __shared__ float of_tiles[kThreads / 32];
    const cg::thread_block block = cg::this_thread_block();
    const auto tile = cg::tiled_partition<32>(block);
    const float sum =
        cg::reduce(tile, in[blockIdx.x * blockDim.x + threadIdx.x], cg::plus<float>());
    if (tile.thread_rank() == 0) of_tiles[threadIdx.x / 32] = sum;
    block.sync();
    if (threadIdx.x == 0) {
        float all = 0;
        for (int k = 0; k < kThreads / 32; ++k) all += of_tiles[k];
        out[blockIdx.x] = all;
    }
}
EXAMPLE(reduce_tiles) {
    return block_sums(reduce_tiles, 1);
}

// Adds all elements to the same float with atomics.
__global__ void reduce_atomic_naive(float* out, const float* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(out, in[i]);
}
EXAMPLE(reduce_atomic_naive) {
    const int n = pick(1 << 18, 1 << 14);
    return whole_sum(reduce_atomic_naive, n / kThreads, n);
}

// Adds with one atomic per warp.
__global__ void reduce_atomic_warp(float* out, const float* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float sum = warp_sum(i < n ? in[i] : 0.0f);
    if (threadIdx.x % 32 == 0) atomicAdd(out, sum);
}
EXAMPLE(reduce_atomic_warp) {
    const int n = pick(1 << 21, 1 << 16);
    return whole_sum(reduce_atomic_warp, n / kThreads, n);
}

// Adds in a grid-stride loop, and then with one atomic per block.
__global__ void reduce_grid_stride(float* out, const float* in, int n) {
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0) atomicAdd(out, sum);
}
EXAMPLE(reduce_grid_stride) {
    return whole_sum(reduce_grid_stride, pick(1056, 64), pick(1 << 24, 1 << 17));
}

// Adds in a grid-stride loop, with four floats per iteration.
__global__ void reduce_grid_stride_float4(float* out, const float* in, int n) {
    const float4* quads = reinterpret_cast<const float4*>(in);
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += gridDim.x * blockDim.x) {
        const float4 v = quads[i];
        sum += v.x + v.y + v.z + v.w;
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0) atomicAdd(out, sum);
}
EXAMPLE(reduce_grid_stride_float4) {
    return whole_sum(reduce_grid_stride_float4, pick(1056, 32), pick(1 << 24, 1 << 17));
}

// The number of blocks that are done. The last block adds up the sums of all blocks.
__device__ unsigned blocks_done = 0;
__global__ void reduce_last_block(float* out, float* of_blocks, const float* in) {
    __shared__ bool is_last;
    float sum = block_sum(in[blockIdx.x * blockDim.x + threadIdx.x]);
    if (threadIdx.x == 0) {
        of_blocks[blockIdx.x] = sum;
        __threadfence();
        is_last = atomicInc(&blocks_done, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last) return;
    sum = 0;
    for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x) sum += __ldcg(of_blocks + i);
    sum = block_sum(sum);
    if (threadIdx.x == 0) *out = sum;
}
EXAMPLE(reduce_last_block) {
    const int n = length();
    const Buffer<float> in = floats(n), of_blocks = zeros<float>(n / kThreads),
                        out = zeros<float>(1);
    const double sum = sum_of(0, in.size(), [&](std::size_t i) { return in.start(i); });
    return {[=] { reduce_last_block<<<n / kThreads, kThreads>>>(out, of_blocks, in); },
            [=] {
                return compare(
                    out, [=](std::size_t) { return sum; }, 1e-3);
            }};
}

// Finds the index of the largest element in each block's part of the input.
__global__ void reduce_argmax(int* where, const float* in) {
    __shared__ float value[kThreads];
    __shared__ int place[kThreads];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    value[t] = in[i];
    place[t] = i;
    __syncthreads();
    for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (t < stride && value[t + stride] > value[t]) {
            value[t] = value[t + stride];
            place[t] = place[t + stride];
        }
        __syncthreads();
    }
    if (t == 0) where[blockIdx.x] = place[0];
}
EXAMPLE(reduce_argmax) {
    const int n = length();
    const Buffer<float> in = floats(n);
    const Buffer<int> out = zeros<int>(n / kThreads);
    const auto largest = [=](std::size_t b) {
        const float* first = in.start().data() + b * kThreads;
        return std::max_element(first, first + kThreads) - in.start().data();
    };
    return {[=] { reduce_argmax<<<n / kThreads, kThreads>>>(out, in); },
            [=] {
                // If several elements are maximal, the
                // index of any of them is correct.
                const auto found = out.read();
                return compare(found, [&](std::size_t b) {
                    const auto at = static_cast<std::size_t>(found[b]);
                    return in.start(at) == in.start(static_cast<std::size_t>(largest(b))) ? found[b]
                                                                                          : -1;
                });
            }};
}

// Uses the warp-wide reduction instruction for integers.
__global__ void reduce_integers_redux(int* out, const int* in) {
    const int sum = __reduce_add_sync(0xffffffffu, in[blockIdx.x * blockDim.x + threadIdx.x]);
    if (threadIdx.x % 32 == 0) atomicAdd(out + blockIdx.x, sum);
}
EXAMPLE(reduce_integers_redux) {
    const int n = length();
    const Buffer<int> in = integers(n, 1000), out = zeros<int>(n / kThreads);
    const auto sum = [=](std::size_t b) {
        return sum_of(b * kThreads, (b + 1) * kThreads, [&](std::size_t i) { return in.start(i); });
    };
    return {[=] { reduce_integers_redux<<<n / kThreads, kThreads>>>(out, in); },
            [=] { return compare(out, sum); }, [=] { out.restore(); }};
}

// Computes the dot product of two vectors, with a reduction in shared memory.
__global__ void dot_product(float* out, const float* a, const float* b, int n) {
    __shared__ float s[kThreads];
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += a[i] * b[i];
    s[threadIdx.x] = sum;
    __syncthreads();
    for (int stride = kThreads / 2; stride > 0; stride /= 2) {
        if (threadIdx.x < stride) s[threadIdx.x] += s[threadIdx.x + stride];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(out, s[0]);
}
EXAMPLE(dot_product) {
    const int n = pick(1 << 23, 1 << 17);
    const Buffer<float> a = floats(n), b = floats(n, 2), out = zeros<float>(1);
    const double sum = sum_of(0, a.size(), [&](std::size_t i) { return a.start(i) * b.start(i); });
    return {[=] { dot_product<<<pick(1056, 64), kThreads>>>(out, a, b, n); },
            [=] {
                return compare(
                    out, [=](std::size_t) { return sum; }, 1e-3);
            },
            [=] { out.restore(); }};
}

// Sums doubles in shared memory.
__global__ void reduce_double(double* out, const double* in) {
    __shared__ double s[kThreads];
    const int t = threadIdx.x;
    s[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (t < stride) s[t] += s[t + stride];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
EXAMPLE(reduce_double) {
    const int n = length();
    const Buffer<double> in = doubles(n), out = zeros<double>(n / kThreads);
    const auto sum = [=](std::size_t b) {
        return sum_of(b * kThreads, (b + 1) * kThreads, [&](std::size_t i) { return in.start(i); });
    };
    return {[=] { reduce_double<<<n / kThreads, kThreads>>>(out, in); },
            [=] { return compare(out, sum, 1e-12, 2000); }};
}

// Computes the sum of each row of a matrix with one warp per row.
__global__ void reduce_rows_warp(float* out, const float* in, int cols) {
    const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    float sum = 0;
    for (int c = lane; c < cols; c += 32) sum += in[row * cols + c];
    sum = warp_sum(sum);
    if (lane == 0) out[row] = sum;
}
EXAMPLE(reduce_rows_warp) {
    const int rows = pick(16384, 512), cols = 512;
    const Buffer<float> in = floats(rows * cols), out = zeros<float>(rows);
    return {[=] { reduce_rows_warp<<<rows / 8, kThreads>>>(out, in, cols); },
            [=] { return compare_sums(out, in, cols); }};
}

// Computes the sum of each row with one thread per row, so that lanes read different rows.
__global__ void reduce_rows_thread(float* out, const float* in, int cols) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int c = 0; c < cols; ++c) sum += in[row * cols + c];
    out[row] = sum;
}
EXAMPLE(reduce_rows_thread) {
    const int rows = pick(65536, 1024), cols = 128;
    const Buffer<float> in = floats(rows * cols), out = zeros<float>(rows);
    return {[=] { reduce_rows_thread<<<rows / 128, 128>>>(out, in, cols); },
            [=] { return compare_sums(out, in, cols); }};
}

// Computes the sum of each column with one thread per column, so that lanes read adjacent elements.
__global__ void reduce_columns_thread(float* out, const float* in, int rows, int cols) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int r = 0; r < rows; ++r) sum += in[r * cols + col];
    out[col] = sum;
}
EXAMPLE(reduce_columns_thread) {
    const int rows = pick(256, 64), cols = pick(32768, 2048);
    const Buffer<float> in = floats(rows * cols), out = zeros<float>(cols);
    const auto sum = [=](std::size_t c) {
        return sum_of(0, static_cast<std::size_t>(rows), [&](std::size_t r) {
            return in.start(r * static_cast<std::size_t>(cols) + c);
        });
    };
    return {[=] { reduce_columns_thread<<<cols / 128, 128>>>(out, in, rows, cols); },
            [=] { return compare(out, sum, 1e-4, 2000); }};
}

// Finds the minimum and the maximum in one pass, with shuffles.
__global__ void reduce_min_max(float2* out, const float* in) {
    float low = in[blockIdx.x * blockDim.x + threadIdx.x], high = low;
#pragma unroll
    for (int mask = 16; mask > 0; mask /= 2) {
        low = fminf(low, __shfl_xor_sync(0xffffffffu, low, mask));
        high = fmaxf(high, __shfl_xor_sync(0xffffffffu, high, mask));
    }
    if (threadIdx.x % 32 == 0) {
        out[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = make_float2(low, high);
    }
}
EXAMPLE(reduce_min_max) {
    const int n = length();
    const Buffer<float> in = floats(n);
    const Buffer<float2> out = zeros<float2>(n / 32);
    return {[=] { reduce_min_max<<<n / kThreads, kThreads>>>(out, in); },
            [=] {
                std::vector<float> spans;
                for (const float2 pair : out.read()) spans.push_back(pair.y - pair.x);
                return compare(spans, [&](std::size_t w) {
                    const auto [low, high] = std::minmax_element(in.start().begin() + 32 * w,
                                                                 in.start().begin() + 32 * w + 32);
                    return *high - *low;
                });
            }};
}
