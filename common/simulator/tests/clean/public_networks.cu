// Kernels from libraries for neural networks and other numerical work.
#include "../cases.h"

#include <cuda_fp16.h>

#include <cmath>
#include <cstdint>

static std::vector<float> noise(int n, unsigned seed) {
    std::vector<float> values;
    for (const int x : random_numbers(n, 2001, seed)) values.push_back((x - 1000) / 1000.f);
    return values;
}
static bool near(double a, double b) {
    return std::abs(a - b) <= 1e-3 * (1 + std::abs(b));
}
template <class T, class Op>
__device__ T block_reduce(T v, T* scratch, T identity, Op op) {
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = (blockDim.x + 31) >> 5;
    for (int d = 16; d; d >>= 1) v = op(v, __shfl_xor_sync(0xffffffff, v, d));
    __syncthreads();  // an earlier call may still be reading the scratch memory
    if (lane == 0) scratch[warp] = v;
    __syncthreads();
    v = lane < warps ? scratch[lane] : identity;
    for (int d = 16; d; d >>= 1) v = op(v, __shfl_xor_sync(0xffffffff, v, d));
    return v;
}
struct Add {
    template <class T>
    __device__ T operator()(T a, T b) const { return a + b; }
};
struct Largest {
    __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

// clean softmax_of_rows
__global__ void softmax(float* out, const float* in, int cols) {
    __shared__ float scratch[32];
    const float* x = in + blockIdx.x * cols;
    float top = -INFINITY;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) top = fmaxf(top, x[c]);
    top = block_reduce(top, scratch, -INFINITY, Largest());
    float sum = 0;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) sum += __expf(x[c] - top);
    sum = block_reduce(sum, scratch, 0.f, Add());
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        out[blockIdx.x * cols + c] = __expf(x[c] - top) / sum;
}
static void softmax_of_rows() {
    const int rows = 4, cols = 150;
    const auto in = noise(rows * cols, 1);
    float* out = device_zeros<float>(rows * cols);
    softmax<<<rows, 96>>>(out, to_device(in), cols);
    const auto got = to_host(out, rows * cols);
    for (int r = 0; r < rows; ++r) {
        double sum = 0;
        for (int c = 0; c < cols; ++c) sum += std::exp(in[r * cols + c]);
        for (int c = 0; c < cols; ++c)
            expect(near(got[r * cols + c], std::exp(in[r * cols + c]) / sum), "softmax");
    }
}

// clean layer_norm_and_its_gradient
__global__ void layer_norm(float* y, float* mean, float* rstd, const float* x, const float* gamma,
                           int n) {
    __shared__ float scratch[32];
    const int row = blockIdx.x;
    float s = 0, s2 = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        const float v = x[row * n + i];
        s += v;
        s2 += v * v;
    }
    s = block_reduce(s, scratch, 0.f, Add()) / n;
    s2 = block_reduce(s2, scratch, 0.f, Add()) / n;
    const float r = rsqrtf(s2 - s * s + 1e-5f);
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        y[row * n + i] = (x[row * n + i] - s) * r * gamma[i];
    if (threadIdx.x == 0) mean[row] = s, rstd[row] = r;
}
__global__ void gamma_gradient(float* dgamma, const float* dy, const float* x, const float* mean,
                               const float* rstd, int rows, int n) {
    __shared__ float tile[8][33];
    const int col = blockIdx.x * 32 + threadIdx.x;
    float sum = 0;
    if (col < n) {
        for (int r = threadIdx.y; r < rows; r += 8)
            sum += dy[r * n + col] * (x[r * n + col] - mean[r]) * rstd[r];
    }
    tile[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y == 0 && col < n) {
        for (int k = 1; k < 8; ++k) sum += tile[k][threadIdx.x];
        dgamma[col] = sum;
    }
}
static void layer_norm_and_its_gradient() {
    const int rows = 10, n = 70;
    const auto x = noise(rows * n, 2), gamma = noise(n, 3), dy = noise(rows * n, 4);
    float *y = device_zeros<float>(rows * n), *mean = device_zeros<float>(rows);
    float *rstd = device_zeros<float>(rows), *dgamma = device_zeros<float>(n);
    const float* dx = to_device(x);
    layer_norm<<<rows, 64>>>(y, mean, rstd, dx, to_device(gamma), n);
    gamma_gradient<<<3, dim3(32, 8)>>>(dgamma, to_device(dy), dx, mean, rstd, rows, n);
    const auto got = to_host(y, rows * n), grad = to_host(dgamma, n);
    std::vector<double> want(n);
    for (int r = 0; r < rows; ++r) {
        double m = 0, v = 0;
        for (int i = 0; i < n; ++i) m += x[r * n + i] / n;
        for (int i = 0; i < n; ++i) v += (x[r * n + i] - m) * (x[r * n + i] - m) / n;
        for (int i = 0; i < n; ++i) {
            const double h = (x[r * n + i] - m) / std::sqrt(v + 1e-5);
            expect(near(got[r * n + i], h * gamma[i]), "normalised");
            want[i] += dy[r * n + i] * h;
        }
    }
    for (int i = 0; i < n; ++i) expect(near(grad[i], want[i]), "gradient");
}

// clean quantised_blocks_times_vector
// Multiplies 4-bit weights, in blocks of 32 with one half-precision scale, by 8-bit activations.
struct BlockQ4 {
    half scale;
    uint8_t quants[16];
};
struct BlockQ8 {
    half scale;
    int8_t quants[32];
};
__global__ void quantise(BlockQ8* out, const float* x) {
    const float v = x[blockIdx.x * 32 + threadIdx.x];
    float top = fabsf(v);
    for (int d = 16; d; d >>= 1) top = fmaxf(top, __shfl_xor_sync(~0u, top, d));
    const float scale = top / 127.f;
    out[blockIdx.x].quants[threadIdx.x] = top == 0 ? 0 : int8_t(roundf(v / scale));
    if (threadIdx.x == 0) out[blockIdx.x].scale = __float2half(scale);
}
__global__ void multiply_q4_q8(float* y, const BlockQ4* w, const BlockQ8* x, int blocks) {
    float sum = 0;
    for (int b = threadIdx.x; b < blocks; b += 32) {
        const BlockQ4& wb = w[blockIdx.x * blocks + b];
        const BlockQ8& xb = x[b];
        int acc = 0;
        for (int k = 0; k < 16; ++k) {
            acc += ((wb.quants[k] & 15) - 8) * xb.quants[k];
            acc += ((wb.quants[k] >> 4) - 8) * xb.quants[k + 16];
        }
        sum += acc * __half2float(wb.scale) * __half2float(xb.scale);
    }
    for (int d = 16; d; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
    if (threadIdx.x == 0) y[blockIdx.x] = sum;
}
static void quantised_blocks_times_vector() {
    const int rows = 6, blocks = 5;
    const auto x = noise(blocks * 32, 5);
    const auto q = random_numbers(rows * blocks * 16, 256, 6);
    std::vector<BlockQ4> w(rows * blocks);
    for (int b = 0; b < rows * blocks; ++b) {
        w[b].scale = __float2half(.25f);
        for (int k = 0; k < 16; ++k) w[b].quants[k] = uint8_t(q[b * 16 + k]);
    }
    BlockQ8* xq;
    need(cudaMalloc(&xq, blocks * sizeof(BlockQ8)));
    float* y = device_zeros<float>(rows);
    quantise<<<blocks, 32>>>(xq, to_device(x));
    multiply_q4_q8<<<rows, 32>>>(y, to_device(w), xq, blocks);
    const auto got = to_host(y, rows);
    for (int r = 0; r < rows; ++r) {
        double want = 0;
        for (int i = 0; i < blocks * 32; ++i) {
            const uint8_t byte = w[r * blocks + i / 32].quants[i % 16];
            want += .25 * ((i % 32 < 16 ? byte & 15 : byte >> 4) - 8) * x[i];
        }
        expect(std::abs(got[r] - want) < .3, "product");
    }
}

// clean convolution_as_product
__global__ void im2col(float* cols, const float* image, int channels, int size) {
    const int out = size - 2, n = channels * 9 * out * out;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const int pixel = i % (out * out), k = i / (out * out);
        const int c = k / 9, dy = k % 9 / 3, dx = k % 3;
        cols[i] = image[(c * size + pixel / out + dy) * size + pixel % out + dx];
    }
}
__global__ void small_gemm(float* c, const float* a, const float* b, int m, int n, int k) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    if (col >= n || row >= m) return;
    float sum = 0;
    for (int i = 0; i < k; ++i) sum = fmaf(a[row * k + i], b[i * n + col], sum);
    c[row * n + col] = fmaxf(sum, 0.f);
}
static void convolution_as_product() {
    const int channels = 3, size = 12, filters = 4, out = size - 2;
    const auto image = noise(channels * size * size, 7), weights = noise(filters * channels * 9, 8);
    float *cols = device_zeros<float>(channels * 9 * out * out);
    float* result = device_zeros<float>(filters * out * out);
    im2col<<<4, 128>>>(cols, to_device(image), channels, size);
    small_gemm<<<dim3(2, filters), 64>>>(result, to_device(weights), cols, filters, out * out,
                                         channels * 9);
    const auto got = to_host(result, filters * out * out);
    for (int f = 0; f < filters; ++f) {
        for (int p = 0; p < out * out; ++p) {
            double sum = 0;
            for (int k = 0; k < channels * 9; ++k) {
                const int c = k / 9, y = p / out + k % 9 / 3, x = p % out + k % 3;
                sum += weights[f * channels * 9 + k] * image[(c * size + y) * size + x];
            }
            expect(near(got[f * out * out + p], std::max(sum, 0.)), "convolution");
        }
    }
}

// clean rotary_embedding_in_place
__global__ void rope(half2* q, const int* positions, int heads, int half_dim) {
    const int token = blockIdx.x;
    for (int i = threadIdx.x; i < heads * half_dim; i += blockDim.x) {
        const int pair = i % half_dim;
        const float angle = positions[token] / float(1 << pair);
        const float c = 1 - angle * angle / 2, s = angle;  // for small angles
        half2& at = q[token * heads * half_dim + i];
        const float2 v = __half22float2(at);
        at = __floats2half2_rn(v.x * c - v.y * s, v.x * s + v.y * c);
    }
}
static void rotary_embedding_in_place() {
    const int tokens = 3, heads = 2, half_dim = 8, n = tokens * heads * half_dim;
    std::vector<half2> q(n);
    for (int i = 0; i < n; ++i) q[i] = __floats2half2_rn(i * .125f, 1.f);
    half2* d = to_device(q);
    rope<<<tokens, 32>>>(d, to_device<int>({0, 1, 0}), heads, half_dim);
    const auto got = to_host(d, n);
    for (int i = 0; i < n; ++i) {
        const float a = i / 16 == 1 ? 1.f / (1 << i % 8) : 0.f, c = 1 - a * a / 2;
        const float2 v = __half22float2(got[i]);
        expect(std::abs(v.x - (i * .125f * c - a)) < .02f, "first of the pair");
        expect(std::abs(v.y - (i * .125f * a + c)) < .02f, "second of the pair");
    }
}

// clean embedding_with_sparse_gradient
// All occurrences of a token add to the same row of the gradient.
__global__ void embed(float* out, const float* table, const int* tokens, int dim) {
    for (int d = threadIdx.x; d < dim; d += blockDim.x)
        out[blockIdx.x * dim + d] = table[tokens[blockIdx.x] * dim + d];
}
__global__ void embed_backward(float* grad, const float* dout, const int* tokens, int dim) {
    for (int d = threadIdx.x; d < dim; d += blockDim.x)
        atomicAdd(&grad[tokens[blockIdx.x] * dim + d], dout[blockIdx.x * dim + d]);
}
static void embedding_with_sparse_gradient() {
    const int words = 9, dim = 40, length = 30;
    const auto tokens = random_numbers(length, words);
    int* d_tokens = to_device(tokens);
    float *out = device_zeros<float>(length * dim), *grad = device_zeros<float>(words * dim);
    embed<<<length, 32>>>(out, device_iota<float>(words * dim), d_tokens, dim);
    embed_backward<<<length, 32>>>(grad, out, d_tokens, dim);
    std::vector<float> want(words * dim);
    for (const int t : tokens) {
        for (int d = 0; d < dim; ++d) want[t * dim + d] += float(t * dim + d);
    }
    expect(to_host(grad, words * dim) == want, "gradient");
}

// clean top_k_and_sampling
// A block selects the k largest logits, one maximum at a time, and then samples one of them.
__global__ void top_k(const float* logits, int vocabulary, int k, int* chosen, float uniform) {
    extern __shared__ float copy[];
    __shared__ unsigned long long best;
    for (int i = threadIdx.x; i < vocabulary; i += blockDim.x) copy[i] = logits[i];
    for (int round = 0; round < k; ++round) {
        if (threadIdx.x == 0) best = 0;
        __syncthreads();
        unsigned long long mine = 0;
        for (int i = threadIdx.x; i < vocabulary; i += blockDim.x) {
            const unsigned bits = __float_as_uint(copy[i]);
            const unsigned ordered = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
            const auto key = (unsigned long long)ordered << 32 | unsigned(i);
            mine = key > mine ? key : mine;
        }
        atomicMax(&best, mine);
        __syncthreads();
        if (threadIdx.x == 0) {
            chosen[round] = int(best & 0xffffffff);
            copy[chosen[round]] = -INFINITY;
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        float sum = 0;
        for (int i = 0; i < k; ++i) sum += __expf(logits[chosen[i]]);
        float at = uniform * sum;
        int pick = k - 1;
        for (int i = k - 1; i >= 0; --i) {
            at -= __expf(logits[chosen[i]]);
            if (at <= 0) {
                pick = i;
                break;
            }
        }
        chosen[k] = pick;
    }
}
static void top_k_and_sampling() {
    const int vocabulary = 200, k = 5;
    std::vector<float> logits(vocabulary);
    for (int i = 0; i < vocabulary; ++i) logits[i] = (i * 37 % vocabulary) / 100.f - 1.f;
    int* chosen = device_zeros<int>(k + 1);
    top_k<<<1, 64, vocabulary * sizeof(float)>>>(to_device(logits), vocabulary, k, chosen, .999f);
    const auto got = to_host(chosen, k + 1);
    for (int r = 0; r < k; ++r) expect(got[r] * 37 % vocabulary == vocabulary - 1 - r, "rank");
    expect(got[k] == 0, "sample");
}

// clean recurrent_steps_with_weights_in_registers
__global__ void simple_rnn(float* hidden, const float* weights, const float* inputs, int steps) {
    __shared__ float state[2][32];
    const int t = threadIdx.x;
    float w[32];
    for (int i = 0; i < 32; ++i) w[i] = weights[t * 32 + i];
    state[0][t] = 0;
    __syncwarp();
    for (int s = 0; s < steps; ++s) {
        float sum = inputs[s * 32 + t];
#pragma unroll
        for (int i = 0; i < 32; ++i) sum += w[i] * state[s & 1][i];
        state[s & 1 ^ 1][t] = sum / (1.f + fabsf(sum));
        __syncwarp();
    }
    hidden[t] = state[steps & 1][t];
}
static void recurrent_steps_with_weights_in_registers() {
    const int steps = 6;
    const auto w = noise(32 * 32, 11), in = noise(steps * 32, 12);
    float* hidden = device_zeros<float>(32);
    simple_rnn<<<1, 32>>>(hidden, to_device(w), to_device(in), steps);
    std::vector<double> h(32);
    for (int s = 0; s < steps; ++s) {
        std::vector<double> next(32);
        for (int t = 0; t < 32; ++t) {
            double sum = in[s * 32 + t];
            for (int i = 0; i < 32; ++i) sum += w[t * 32 + i] * h[i];
            next[t] = sum / (1 + std::abs(sum));
        }
        h = next;
    }
    const auto got = to_host(hidden, 32);
    for (int t = 0; t < 32; ++t) expect(near(got[t], h[t]), "state");
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {
                        {"softmax_of_rows", softmax_of_rows},
                        {"layer_norm_and_its_gradient", layer_norm_and_its_gradient},
                        {"quantised_blocks_times_vector", quantised_blocks_times_vector},
                        {"convolution_as_product", convolution_as_product},
                        {"rotary_embedding_in_place", rotary_embedding_in_place},
                        {"embedding_with_sparse_gradient", embedding_with_sparse_gradient},
                        {"top_k_and_sampling", top_k_and_sampling},
                        {"recurrent_steps_with_weights_in_registers",
                         recurrent_steps_with_weights_in_registers},
                    });
}
