// Neural network layers: softmax, normalization, activations, parts of attention.
// Long: many small kernels on one theme, each with an example that checks it.
#include <cuda_fp16.h>

#include "tutorial.h"

using namespace tutorial;

namespace {

constexpr int kThreads = 256;

/// A matrix of activations. Each row is a sample.
struct Rows {
    int rows, cols;
    Buffer<float> in, out;
    Rows(int rows_, int cols_)
        : rows(rows_),
          cols(cols_),
          in(floats(static_cast<std::size_t>(rows) * cols)),
          out(zeros<float>(in.size())) {}
    const float* row(std::size_t r) const {
        return in.start().data() + r * static_cast<std::size_t>(cols);
    }
};

/// Compares the output with the softmax of each row, or with the logarithm of the softmax.
std::string compare_softmax(const Rows& a, bool is_log = false) {
    const auto width = static_cast<std::size_t>(a.cols);
    std::size_t last_row = ~std::size_t{0};
    double sum = 0;
    const auto expected = [&](std::size_t i) {
        if (i / width != last_row) {
            last_row = i / width;
            sum = sum_of(0, width,
                         [&](std::size_t c) { return std::exp(double{a.row(last_row)[c]}); });
        }
        const double value = a.row(last_row)[i % width];
        return is_log ? value - std::log(sum) : std::exp(value) / sum;
    };
    return compare(a.out, expected, 1e-4, std::size_t{1} << 15);
}

struct Moments {
    double mean, variance;
};
Moments moments(const float* row, int cols) {
    const auto width = static_cast<std::size_t>(cols);
    const double mean = sum_of(0, width, [&](std::size_t c) { return row[c]; }) / cols;
    return {mean, sum_of(0, width, [&](std::size_t c) {
                      return (row[c] - mean) * (row[c] - mean);
                  }) / cols};
}

constexpr double kEpsilon = 1e-5;

std::string compare_layer_norm(const Rows& a, const Buffer<float>& gain,
                               const Buffer<float>& bias) {
    const auto width = static_cast<std::size_t>(a.cols);
    const auto expected = [&](std::size_t i) {
        const float* row = a.row(i / width);
        const Moments m = moments(row, a.cols);
        return (row[i % width] - m.mean) / std::sqrt(m.variance + kEpsilon) *
                   gain.start(i % width) +
               bias.start(i % width);
    };
    return compare(a.out, expected, 1e-3, 3000);
}

__device__ float warp_sum(float v) {
    for (int mask = 16; mask > 0; mask /= 2) v += __shfl_xor_sync(0xffffffffu, v, mask);
    return v;
}
__device__ float warp_max(float v) {
    for (int mask = 16; mask > 0; mask /= 2) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, mask));
    return v;
}

/// Returns the sum over the block, in every thread.
__device__ float block_sum(float v) {
    __shared__ float of_warps[32];
    v = warp_sum(v);
    __syncthreads();
    if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = v;
    __syncthreads();
    return warp_sum(threadIdx.x % 32 < blockDim.x / 32 ? of_warps[threadIdx.x % 32] : 0.0f);
}

}  // namespace

// Computes the softmax with one thread per row and three passes.
__global__ void softmax_thread(float* out, const float* in, int rows, int cols) {
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float highest = -INFINITY, sum = 0;
    for (int c = 0; c < cols; ++c) highest = fmaxf(highest, in[r * cols + c]);
    for (int c = 0; c < cols; ++c) sum += expf(in[r * cols + c] - highest);
    for (int c = 0; c < cols; ++c) out[r * cols + c] = expf(in[r * cols + c] - highest) / sum;
}
EXAMPLE(softmax_thread) {
    const Rows a(pick(32768, 512), 64);
    return {[=] { softmax_thread<<<a.rows / 128, 128>>>(a.out, a.in, a.rows, a.cols); },
            [=] { return compare_softmax(a); }};
}

// Computes the softmax with one block per row, and tree reductions in shared memory.
__global__ void softmax_block(float* out, const float* in, int cols) {
    __shared__ float s[kThreads];
    const int t = threadIdx.x;
    const float* row = in + blockIdx.x * cols;
    float highest = -INFINITY, sum = 0;
    for (int c = t; c < cols; c += kThreads) highest = fmaxf(highest, row[c]);
    s[t] = highest;
    __syncthreads();
    for (int stride = kThreads / 2; stride > 0; stride /= 2) {
        if (t < stride) s[t] = fmaxf(s[t], s[t + stride]);
        __syncthreads();
    }
    highest = s[0];
    __syncthreads();
    for (int c = t; c < cols; c += kThreads) sum += expf(row[c] - highest);
    s[t] = sum;
    __syncthreads();
    for (int stride = kThreads / 2; stride > 0; stride /= 2) {
        if (t < stride) s[t] += s[t + stride];
        __syncthreads();
    }
    sum = s[0];
    for (int c = t; c < cols; c += kThreads)
        out[blockIdx.x * cols + c] = expf(row[c] - highest) / sum;
}
EXAMPLE(softmax_block) {
    const Rows a(pick(4096, 64), 1024);
    return {[=] { softmax_block<<<a.rows, kThreads>>>(a.out, a.in, a.cols); },
            [=] { return compare_softmax(a); }};
}

// Computes the softmax with one warp per row.
__global__ void softmax_warp(float* out, const float* in, int cols) {
    const int r = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    float highest = -INFINITY, sum = 0;
    for (int c = lane; c < cols; c += 32) highest = fmaxf(highest, in[r * cols + c]);
    highest = warp_max(highest);
    for (int c = lane; c < cols; c += 32) sum += __expf(in[r * cols + c] - highest);
    sum = warp_sum(sum);
    for (int c = lane; c < cols; c += 32)
        out[r * cols + c] = __expf(in[r * cols + c] - highest) / sum;
}
EXAMPLE(softmax_warp) {
    const Rows a(pick(16384, 256), 256);
    return {[=] { softmax_warp<<<a.rows / 8, kThreads>>>(a.out, a.in, a.cols); },
            [=] { return compare_softmax(a); }};
}

// Computes the softmax in one pass, and rescales the sum whenever the maximum grows.
__global__ void softmax_online(float* out, const float* in, int cols) {
    const int r = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    float highest = -INFINITY, sum = 0;
    for (int c = lane; c < cols; c += 32) {
        const float value = in[r * cols + c], higher = fmaxf(highest, value);
        sum = sum * expf(highest - higher) + expf(value - higher);
        highest = higher;
    }
    const float all = warp_max(highest);
    sum = warp_sum(sum * expf(highest - all));
    for (int c = lane; c < cols; c += 32) out[r * cols + c] = expf(in[r * cols + c] - all) / sum;
}
EXAMPLE(softmax_online) {
    const Rows a(pick(8192, 256), 512);
    return {[=] { softmax_online<<<a.rows / 8, kThreads>>>(a.out, a.in, a.cols); },
            [=] { return compare_softmax(a); }};
}

// Computes the softmax, and keeps each row in registers between the passes.
__global__ void softmax_registers(float* out, const float* in) {
    constexpr int per_lane = 8;
    const int r = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    float values[per_lane], highest = -INFINITY, sum = 0;
#pragma unroll
    for (int k = 0; k < per_lane; ++k) {
        values[k] = in[r * 32 * per_lane + k * 32 + lane];
        highest = fmaxf(highest, values[k]);
    }
    highest = warp_max(highest);
#pragma unroll
    for (int k = 0; k < per_lane; ++k) sum += values[k] = __expf(values[k] - highest);
    sum = 1 / warp_sum(sum);
#pragma unroll
    for (int k = 0; k < per_lane; ++k) out[r * 32 * per_lane + k * 32 + lane] = values[k] * sum;
}
EXAMPLE(softmax_registers) {
    const Rows a(pick(32768, 256), 256);
    return {[=] { softmax_registers<<<a.rows / 8, kThreads>>>(a.out, a.in); },
            [=] { return compare_softmax(a); }};
}

__global__ void log_softmax(float* out, const float* in, int cols) {
    float sum = 0;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) sum += expf(in[blockIdx.x * cols + c]);
    const float log_sum = logf(block_sum(sum));
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        out[blockIdx.x * cols + c] = in[blockIdx.x * cols + c] - log_sum;
}
EXAMPLE(log_softmax) {
    const Rows a(pick(4096, 64), 2048);
    return {[=] { log_softmax<<<a.rows, kThreads>>>(a.out, a.in, a.cols); },
            [=] { return compare_softmax(a, true); }};
}

// Normalizes with one block per row, which computes the mean first and then the variance.
__global__ void layer_norm_block(float* out, const float* in, const float* gain, const float* bias,
                                 int cols) {
    const float* row = in + blockIdx.x * cols;
    float sum = 0, squares = 0;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) sum += row[c];
    const float mean = block_sum(sum) / cols;
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        squares += (row[c] - mean) * (row[c] - mean);
    const float scale = rsqrtf(block_sum(squares) / cols + 1e-5f);
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        out[blockIdx.x * cols + c] = (row[c] - mean) * scale * gain[c] + bias[c];
}
EXAMPLE(layer_norm_block) {
    const Rows a(pick(8192, 64), 1024);
    const Buffer<float> gain = floats(a.cols, 2), bias = floats(a.cols, 3);
    return {[=] { layer_norm_block<<<a.rows, kThreads>>>(a.out, a.in, gain, bias, a.cols); },
            [=] { return compare_layer_norm(a, gain, bias); }};
}

// Normalizes each row after copying it to shared memory.
__global__ void layer_norm_shared(float* out, const float* in, const float* gain, const float* bias,
                                  int cols) {
    extern __shared__ float row[];
    float sum = 0, squares = 0;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) sum += row[c] = in[blockIdx.x * cols + c];
    const float mean = block_sum(sum) / cols;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) {
        const float distance = row[c] - mean;
        squares += distance * distance;
    }
    const float scale = rsqrtf(block_sum(squares) / cols + 1e-5f);
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        out[blockIdx.x * cols + c] = (row[c] - mean) * scale * gain[c] + bias[c];
}
EXAMPLE(layer_norm_shared) {
    const Rows a(pick(8192, 64), 1024);
    const Buffer<float> gain = floats(a.cols, 2), bias = floats(a.cols, 3);
    const std::size_t bytes = static_cast<std::size_t>(a.cols) * sizeof(float);
    return {
        [=] { layer_norm_shared<<<a.rows, kThreads, bytes>>>(a.out, a.in, gain, bias, a.cols); },
        [=] { return compare_layer_norm(a, gain, bias); }};
}

// Normalizes with one warp per row, which computes both sums in one pass of float4 loads.
__global__ void layer_norm_warp(float4* out, const float4* in, const float4* gain,
                                const float4* bias, int quads) {
    const int r = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    float sum = 0, squares = 0;
    for (int q = lane; q < quads; q += 32) {
        const float4 v = in[r * quads + q];
        sum += v.x + v.y + v.z + v.w;
        squares += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    const float mean = warp_sum(sum) / (4 * quads);
    const float scale = rsqrtf(warp_sum(squares) / (4 * quads) - mean * mean + 1e-5f);
    for (int q = lane; q < quads; q += 32) {
        const float4 v = in[r * quads + q], g = gain[q], b = bias[q];
        out[r * quads + q] =
            make_float4((v.x - mean) * scale * g.x + b.x, (v.y - mean) * scale * g.y + b.y,
                        (v.z - mean) * scale * g.z + b.z, (v.w - mean) * scale * g.w + b.w);
    }
}
EXAMPLE(layer_norm_warp) {
    const Rows a(pick(16384, 128), 512);
    const Buffer<float> gain = floats(a.cols, 2), bias = floats(a.cols, 3);
    const auto quads = [](float* p) { return reinterpret_cast<float4*>(p); };
    return {[=] {
                layer_norm_warp<<<a.rows / 8, kThreads>>>(quads(a.out), quads(a.in), quads(gain),
                                                          quads(bias), a.cols / 4);
            },
            [=] { return compare_layer_norm(a, gain, bias); }};
}

__global__ void rms_norm(float* out, const float* in, const float* gain, int cols) {
    float squares = 0;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) {
        const float value = in[blockIdx.x * cols + c];
        squares += value * value;
    }
    const float scale = rsqrtf(block_sum(squares) / cols + 1e-5f);
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        out[blockIdx.x * cols + c] = in[blockIdx.x * cols + c] * scale * gain[c];
}
EXAMPLE(rms_norm) {
    const Rows a(pick(4096, 64), 2048);
    const Buffer<float> gain = floats(a.cols, 2);
    const auto width = static_cast<std::size_t>(a.cols);
    const auto expected = [=](std::size_t i) {
        const Moments m = moments(a.row(i / width), a.cols);
        return a.in.start(i) / std::sqrt(m.variance + m.mean * m.mean + kEpsilon) *
               gain.start(i % width);
    };
    return {[=] { rms_norm<<<a.rows, kThreads>>>(a.out, a.in, gain, a.cols); },
            [=] { return compare(a.out, expected, 1e-3, 3000); }};
}

// Normalizes with given means and variances of the channels.
__global__ void batch_norm(float* out, const float* in, const float* mean, const float* variance,
                           int channels, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int c = i % channels;
    out[i] = (in[i] - mean[c]) * rsqrtf(variance[c] + 1e-5f);
}
EXAMPLE(batch_norm) {
    const Rows a(pick(65536, 512), 96);
    const Buffer<float> mean = floats(a.cols, 2), variance = floats(a.cols, 3);
    const int n = a.rows * a.cols;
    const auto expected = [=](std::size_t i) {
        const std::size_t c = i % mean.size();
        return (a.in.start(i) - mean.start(c)) / std::sqrt(variance.start(c) + kEpsilon);
    };
    return {[=] {
                batch_norm<<<blocks_for(n, kThreads), kThreads>>>(a.out, a.in, mean, variance,
                                                                  a.cols, n);
            },
            [=] { return compare(a.out, expected, 1e-3); }};
}

// Computes the mean of each channel with one block.
__global__ void batch_norm_means(float* mean, const float* in, int images, int channels,
                                 int pixels) {
    float sum = 0;
    for (int image = 0; image < images; ++image)
        for (int p = threadIdx.x; p < pixels; p += blockDim.x)
            sum += in[(image * channels + blockIdx.x) * pixels + p];
    sum = block_sum(sum);
    if (threadIdx.x == 0) mean[blockIdx.x] = sum / (images * pixels);
}
EXAMPLE(batch_norm_means) {
    const int images = pick(32, 4), channels = pick(256, 16), pixels = 28 * 28;
    const Buffer<float> in = floats(static_cast<std::size_t>(images) * channels * pixels),
                        mean = zeros<float>(channels);
    const auto expected = [=](std::size_t c) {
        double sum = 0;
        for (int image = 0; image < images; ++image) {
            const std::size_t first = (static_cast<std::size_t>(image) * channels + c) * pixels;
            sum += sum_of(first, first + pixels, [&](std::size_t i) { return in.start(i); });
        }
        return sum / images / pixels;
    };
    return {[=] { batch_norm_means<<<channels, kThreads>>>(mean, in, images, channels, pixels); },
            [=] { return compare(mean, expected, 1e-4); }};
}

__global__ void gelu(float* out, const float* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float x = in[i];
    out[i] = 0.5f * x * (1 + tanhf(0.79788456f * (x + 0.044715f * x * x * x)));
}
EXAMPLE(gelu) {
    const int n = pick(1 << 23, 1 << 16);
    const Buffer<float> in = floats(n), out = zeros<float>(n);
    const auto expected = [=](std::size_t i) {
        const double x = in.start(i);
        return 0.5 * x * (1 + std::tanh(0.79788456 * (x + 0.044715 * x * x * x)));
    };
    return {[=] { gelu<<<n / kThreads, kThreads>>>(out, in, n); },
            [=] { return compare(out, expected, 1e-5); }};
}

__global__ void bias_relu(float* data, const float* bias, int cols, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] = fmaxf(data[i] - bias[i % cols], 0.0f);
}
EXAMPLE(bias_relu) {
    const int cols = 1000, n = pick(8000, 100) * cols;
    const Buffer<float> data = floats(n), bias = floats(cols, 2);
    return {[=] { bias_relu<<<blocks_for(n, kThreads), kThreads>>>(data, bias, cols, n); },
            [=] {
                return compare(data, [&](std::size_t i) {
                    return std::max(0.0f, data.start(i) - bias.start(i % 1000));
                });
            },
            [=] { data.restore(); }};
}

// Sets elements to 0 depending on a hash of their index.
__global__ void dropout(float* out, const float* in, unsigned seed, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned h = (i ^ seed) * 0x9E3779B1u;
    h ^= h >> 15;
    h *= 0x85EBCA77u;
    h ^= h >> 13;
    out[i] = h & 1 ? 2.0f * in[i] : 0.0f;
}
EXAMPLE(dropout) {
    const int n = pick(1 << 23, 1 << 16);
    const Buffer<float> in = floats(n), out = zeros<float>(n);
    const auto expected = [=](std::size_t i) {
        std::uint32_t h = (static_cast<std::uint32_t>(i) ^ 7u) * 0x9E3779B1u;
        h = (h ^ h >> 15) * 0x85EBCA77u;
        return (h ^ h >> 13) & 1 ? 2 * in.start(i) : 0.0f;
    };
    return {[=] { dropout<<<n / kThreads, kThreads>>>(out, in, 7, n); },
            [=] { return compare(out, expected); }};
}

// Performs a step of the Adam optimizer, with one thread per weight.
__global__ void adam_step(float* weight, float* m, float* v, const float* gradient, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float g = gradient[i];
    m[i] = 0.9f * m[i] + 0.1f * g;
    v[i] = 0.999f * v[i] + 0.001f * g * g;
    weight[i] -= 0.01f * m[i] / (sqrtf(v[i]) + 1e-8f);
}
EXAMPLE(adam_step) {
    const int n = pick(1 << 22, 1 << 16);
    const Buffer<float> weight = floats(n), m = floats(n, 2), v = floats(n, 3),
                        gradient = floats(n, 4);
    const auto expected = [=](std::size_t i) {
        const double g = gradient.start(i), mean = 0.9 * m.start(i) + 0.1 * g,
                     square = 0.999 * v.start(i) + 0.001 * g * g;
        return weight.start(i) - 0.01 * mean / (std::sqrt(square) + 1e-8);
    };
    return {[=] { adam_step<<<n / kThreads, kThreads>>>(weight, m, v, gradient, n); },
            [=] { return compare(weight, expected, 1e-4); },
            [=] {
                weight.restore();
                m.restore();
                v.restore();
            }};
}

// Copies rows of an embedding table, with one block per word.
__global__ void embedding(float* out, const float* table, const int* words, int width) {
    for (int c = threadIdx.x; c < width; c += blockDim.x)
        out[blockIdx.x * width + c] = table[words[blockIdx.x] * width + c];
}
EXAMPLE(embedding) {
    const int count = pick(16384, 256), vocabulary = pick(20000, 500), width = 256;
    const Buffer<float> table = floats(static_cast<std::size_t>(vocabulary) * width),
                        out = zeros<float>(static_cast<std::size_t>(count) * width);
    const Buffer<int> words = integers(count, static_cast<unsigned>(vocabulary));
    return {
        [=] { embedding<<<count, 128>>>(out, table, words, width); },
        [=] {
            return compare(out, [&](std::size_t i) {
                return table.start(static_cast<std::size_t>(words.start(i / 256)) * 256 + i % 256);
            });
        }};
}

// Computes attention scores, the product of queries and keys.
__global__ void attention_scores(float* out, const float* q, const float* k, int tokens,
                                 float scale) {
    constexpr int width = 64;
    __shared__ float tq[16][width + 1], tk[16][width + 1];
    const int tx = threadIdx.x, ty = threadIdx.y;
    for (int c = tx; c < width; c += 16) {
        tq[ty][c] = q[(blockIdx.y * 16 + ty) * width + c];
        tk[ty][c] = k[(blockIdx.x * 16 + ty) * width + c];
    }
    __syncthreads();
    float sum = 0;
    for (int c = 0; c < width; ++c) sum += tq[ty][c] * tk[tx][c];
    out[(blockIdx.y * 16 + ty) * tokens + blockIdx.x * 16 + tx] = sum * scale;
}
EXAMPLE(attention_scores) {
    const int tokens = pick(1024, 128);
    const Buffer<float> q = floats(tokens * 64), k = floats(tokens * 64, 2),
                        out = zeros<float>(tokens * tokens);
    const auto count = static_cast<std::size_t>(tokens);
    const auto expected = [=](std::size_t i) {
        return 0.125 * sum_of(0, 64, [&](std::size_t c) {
                   return q.start(i / count * 64 + c) * k.start(i % count * 64 + c);
               });
    };
    const dim3 grid(static_cast<unsigned>(tokens / 16), static_cast<unsigned>(tokens / 16));
    return {[=] { attention_scores<<<grid, dim3(16, 16)>>>(out, q, k, tokens, 0.125f); },
            [=] { return compare(out, expected, 1e-4, 20000); }};
}

// Computes attention for one query per block in a single kernel.
__global__ void attention_row(float* out, const float* q, const float* k, const float* v,
                              int tokens) {
    constexpr int width = 64;
    extern __shared__ float scores[];
    __shared__ float query[width];
    if (threadIdx.x < width) query[threadIdx.x] = q[blockIdx.x * width + threadIdx.x];
    __syncthreads();
    float sum = 0;
    for (int token = threadIdx.x; token < tokens; token += blockDim.x) {
        float score = 0;
        for (int c = 0; c < width; ++c) score += query[c] * k[token * width + c];
        sum += scores[token] = expf(score * 0.125f);
    }
    sum = block_sum(sum);
    if (threadIdx.x >= width) return;
    float value = 0;
    for (int token = 0; token < tokens; ++token)
        value += scores[token] * v[token * width + threadIdx.x];
    out[blockIdx.x * width + threadIdx.x] = value / sum;
}
EXAMPLE(attention_row) {
    const int tokens = pick(512, 64);
    const Buffer<float> q = floats(tokens * 64), k = floats(tokens * 64, 2),
                        v = floats(tokens * 64, 3), out = zeros<float>(tokens * 64);
    const auto count = static_cast<std::size_t>(tokens);
    const auto expected = [=](std::size_t i) {
        double sum = 0, value = 0;
        for (std::size_t token = 0; token < count; ++token) {
            const double score = sum_of(0, 64, [&](std::size_t c) {
                return q.start(i / 64 * 64 + c) * k.start(token * 64 + c);
            });
            sum += std::exp(score / 8);
            value += std::exp(score / 8) * v.start(token * 64 + i % 64);
        }
        return value / sum;
    };
    const std::size_t bytes = count * sizeof(float);
    return {[=] { attention_row<<<tokens, 128, bytes>>>(out, q, k, v, tokens); },
            [=] { return compare(out, expected, 1e-3, 300); }};
}

// Rotates pairs of numbers by an angle that grows with the position (rotary embedding).
__global__ void rotary(float2* data, const float* angles, int pairs, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sine, cosine;
    sincosf(angles[i % pairs] * (i / pairs), &sine, &cosine);
    const float2 v = data[i];
    data[i] = make_float2(v.x * cosine - v.y * sine, v.x * sine + v.y * cosine);
}
EXAMPLE(rotary) {
    const int pairs = 64, n = pick(1 << 21, 1 << 14);
    const auto data = filled(n, [](std::size_t i) {
        return make_float2(noise(i, 1) % 100 / 10.0f, noise(i, 2) % 100 / 10.0f);
    });
    const Buffer<float> angles =
        filled(pairs, [](std::size_t i) { return 0.001f / static_cast<float>(i + 1); });
    return {[=] { rotary<<<n / kThreads, kThreads>>>(data, angles, pairs, n); },
            [=] {
                std::vector<float> firsts;
                for (const float2 v : data.read()) firsts.push_back(v.x);
                return compare(
                    firsts,
                    [&](std::size_t i) {
                        const float angle = angles.start(i % 64) * static_cast<float>(i / 64);
                        return data.start(i).x * std::cos(angle) -
                               data.start(i).y * std::sin(angle);
                    },
                    1e-3);
            },
            [=] { data.restore(); }};
}
