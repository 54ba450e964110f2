// Matrix products and layers of neural networks.
#include "../checked.cuh"

using namespace tutorial;

namespace {

constexpr std::size_t kSamples = 3000;

/// Returns the dot product of row `row` of A and column `col` of B. Both matrices are n x n.
double cell_of(const Buffer<float>& a, const Buffer<float>& b, std::size_t row, std::size_t col,
               std::size_t n) {
    return sum_of(0, n, [&](std::size_t k) { return a.start(row * n + k) * b.start(k * n + col); });
}

}  // namespace

// Computes eight elements of a column of C per thread. The rows of B are read from global memory.
__global__ void product_of_eight_rows(float* c, const float* a, const float* b, int n) {
    __shared__ float at[8][64];
    const int col = blockIdx.x * 64 + threadIdx.x, row = blockIdx.y * 8;
    float sum[8] = {};
    for (int k = 0; k < n; k += 64) {
        __syncthreads();
        for (int r = 0; r < 8; ++r) at[r][threadIdx.x] = a[(row + r) * n + k + threadIdx.x];
        __syncthreads();
        for (int q = 0; q < 64; ++q) {
            const float x = b[(k + q) * n + col];
            for (int r = 0; r < 8; ++r) sum[r] += at[r][q] * x;
        }
    }
    for (int r = 0; r < 8; ++r) c[(row + r) * n + col] = sum[r];
}
EXAMPLE(product_of_eight_rows) {
    const int n = pick(512, 64);
    const auto a = floats(n * n, 1), b = floats(n * n, 2), c = zeros<float>(n * n);
    return checked([=] { product_of_eight_rows<<<dim3(n / 64, n / 8), 64>>>(c, a, b, n); }, c,
                   [=](std::size_t i) { return cell_of(a, b, i / n, i % n, n); }, 1e-4, kSamples);
}

// Computes elements in two columns of C per thread, with tiles of 16 x 16 elements.
__global__ void product_of_two_columns(float* c, const float* a, const float* b, int n) {
    __shared__ float at[16][16], bt[16][32];
    const int x = threadIdx.x, y = threadIdx.y, col = blockIdx.x * 32 + x,
              row = blockIdx.y * 16 + y;
    float left = 0, right = 0;
    for (int k = 0; k < n; k += 16) {
        at[y][x] = a[row * n + k + x];
        bt[y][x] = b[(k + y) * n + col];
        bt[y][x + 16] = b[(k + y) * n + col + 16];
        __syncthreads();
        for (int q = 0; q < 16; ++q) {
            left += at[y][q] * bt[q][x];
            right += at[y][q] * bt[q][x + 16];
        }
        __syncthreads();
    }
    c[row * n + col] = left;
    c[row * n + col + 16] = right;
}
EXAMPLE(product_of_two_columns) {
    const int n = pick(768, 64);
    const auto a = floats(n * n, 1), b = floats(n * n, 2), c = zeros<float>(n * n);
    return checked(
        [=] { product_of_two_columns<<<dim3(n / 32, n / 16), dim3(16, 16)>>>(c, a, b, n); }, c,
        [=](std::size_t i) { return cell_of(a, b, i / n, i % n, n); }, 1e-4, kSamples);
}

// Multiplies many 8 x 8 matrices by vectors of eight elements, with one thread per row.
__global__ void small_matrices_times_vectors(float* out, const float4* a, const float* x) {
    const int i = thread_in_grid();
    const float4 v = a[2 * i], w = a[2 * i + 1];
    const float* y = x + i / 8 * 8;
    out[i] = v.x * y[0] + v.y * y[1] + v.z * y[2] + v.w * y[3] + w.x * y[4] + w.y * y[5] +
             w.z * y[6] + w.w * y[7];
}
EXAMPLE(small_matrices_times_vectors) {
    const int n = pick(1 << 19, 1 << 11);
    const auto a = floats(8 * n, 1), x = floats(n, 2), out = zeros<float>(n);
    return checked(
        [=] {
            small_matrices_times_vectors<<<n / 256, 256>>>(out, reinterpret_cast<float4*>(a.get()),
                                                           x);
        },
        out,
        [=](std::size_t i) {
            return sum_of(
                0, 8, [&](std::size_t k) { return a.start(8 * i + k) * x.start(i / 8 * 8 + k); });
        },
        1e-5);
}

// Multiplies a matrix of doubles by a vector, with four rows per block of 128
// threads.
__global__ void four_rows_times_vector(double* out, const double* a, const double* x, int n) {
    const int row = blockIdx.x * 4 + threadIdx.x / 32;
    double sum = 0;
    for (int k = threadIdx.x % 32; k < n; k += 32) sum += a[row * n + k] * x[k];
    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0) out[row] = sum;
}
EXAMPLE(four_rows_times_vector) {
    const int n = pick(2048, 128);
    const auto a = doubles(n * n, 1), x = doubles(n, 2), out = zeros<double>(n);
    return checked([=] { four_rows_times_vector<<<n / 4, 128>>>(out, a, x, n); }, out,
                   [=](std::size_t r) {
                       return sum_of(
                           0, n, [&](std::size_t k) { return a.start(r * n + k) * x.start(k); });
                   },
                   1e-10);
}

// Computes the softmax of rows of 256 elements, with 64 threads of four elements each per row.
__global__ void softmax_of_256(float4* out, const float4* in) {
    __shared__ float parts[2];
    float4 v = in[thread_in_grid()];
    v = make_float4(__expf(v.x), __expf(v.y), __expf(v.z), __expf(v.w));
    const float sum = warp_sum(v.x + v.y + v.z + v.w);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
    __syncthreads();
    const float scale = 1 / (parts[0] + parts[1]);
    out[thread_in_grid()] = make_float4(v.x * scale, v.y * scale, v.z * scale, v.w * scale);
}
EXAMPLE(softmax_of_256) {
    const int rows = pick(8192, 32);
    const auto in = floats(rows * 256), out = zeros<float>(rows * 256);
    const auto four = [](const Buffer<float>& b) { return reinterpret_cast<float4*>(b.get()); };
    return checked([=] { softmax_of_256<<<rows, 64>>>(four(out), four(in)); }, out,
                   [=](std::size_t i) {
                       const std::size_t first = i / 256 * 256;
                       return std::exp(in.start(i)) /
                              sum_of(first, first + 256,
                                     [&](std::size_t k) { return std::exp(in.start(k)); });
                   },
                   1e-5, 4000);
}

// Scales rows of 64 halves to unit length, with one warp per row.
__global__ void unit_rows(__half2* data) {
    float2 v = __half22float2(data[thread_in_grid()]);
    const float scale = rsqrtf(warp_sum(v.x * v.x + v.y * v.y) + 1e-6f);
    data[thread_in_grid()] = __floats2half2_rn(v.x * scale, v.y * scale);
}
EXAMPLE(unit_rows) {
    const int rows = pick(1 << 16, 1 << 8);
    const auto data = halves(rows * 64);
    const auto check = [=] {
        std::vector<double> values;
        for (const __half h : data.read()) values.push_back(value_of(h));
        return compare(
            values,
            [&](std::size_t i) {
                const double length =
                    std::sqrt(sum_of(i / 64 * 64, i / 64 * 64 + 64, [&](std::size_t k) {
                        return value_of(data.start(k)) * value_of(data.start(k));
                    }));
                return value_of(data.start(i)) / length;
            },
            1e-3, 1 << 14);
    };
    return {[=] { unit_rows<<<rows / 8, 256>>>(reinterpret_cast<__half2*>(data.get())); }, check,
            [=] { data.restore(); }};
}

// Computes the gradient of a ReLU layer, gradient * (x > 0), and its sum over the rows, with one
// thread per column.
__global__ void relu_gradient(float* out, float* bias, const float* gradient, const float* x,
                              int width, int rows) {
    const int col = thread_in_grid();
    float sum = 0;
    for (int r = 0; r < rows; ++r) {
        const float g = x[r * width + col] > .5f ? gradient[r * width + col] : 0;
        out[r * width + col] = g;
        sum += g;
    }
    bias[col] = sum;
}
EXAMPLE(relu_gradient) {
    const int width = pick(16384, 512), rows = pick(128, 16);
    const auto gradient = floats(width * rows, 1), x = floats(width * rows, 2),
               out = zeros<float>(width * rows), bias = zeros<float>(width);
    return checked([=] { relu_gradient<<<width / 64, 64>>>(out, bias, gradient, x, width, rows); },
                   bias,
                   [=](std::size_t c) {
                       return sum_of(0, rows, [&](std::size_t r) {
                           const std::size_t i = r * width + c;
                           return x.start(i) > .5f ? gradient.start(i) : 0.0f;
                       });
                   },
                   1e-5);
}

// Convolves eight input channels into eight output channels in one dimension, with five taps.
__global__ void convolve_channels(float* out, const float* in, const float* weights, int n) {
    __shared__ float w[8][8][5];
    for (int k = threadIdx.x; k < 320; k += 128) (&w[0][0][0])[k] = weights[k];
    __syncthreads();
    const int i = thread_in_grid();
    float sum[8] = {};
    for (int c = 0; c < 8; ++c)
        for (int t = 0; t < 5; ++t) {
            const float x = in[c * (n + 4) + i + t];
            for (int o = 0; o < 8; ++o) sum[o] += w[o][c][t] * x;
        }
    for (int o = 0; o < 8; ++o) out[o * n + i] = sum[o];
}
EXAMPLE(convolve_channels) {
    const int n = pick(1 << 17, 1 << 10);
    const auto in = floats(8 * (n + 4), 1), weights = floats(320, 2), out = zeros<float>(8 * n);
    return checked([=] { convolve_channels<<<n / 128, 128>>>(out, in, weights, n); }, out,
                   [=](std::size_t i) {
                       return sum_of(0, 40, [&](std::size_t k) {
                           return weights.start(i / n * 40 + k) *
                                  in.start(k / 5 * (in.size() / 8) + i % n + k % 5);
                       });
                   },
                   1e-4);
}

// Takes the maximum of 3 x 3 windows with a stride of 2.
__global__ void pool_overlapping(float* out, const float* in, int to) {
    const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y,
              from = 2 * to + 1;
    float most = 0;
    for (int k = 0; k < 9; ++k) most = fmaxf(most, in[(2 * y + k / 3) * from + 2 * x + k % 3]);
    out[y * to + x] = most;
}
EXAMPLE(pool_overlapping) {
    const int to = pick(1024, 64);
    const auto in = floats((2 * to + 1) * (2 * to + 1)), out = zeros<float>(to * to);
    return checked(
        [=] { pool_overlapping<<<dim3(to / 16, to / 16), dim3(16, 16)>>>(out, in, to); }, out,
        [=](std::size_t i) {
            float most = 0;
            for (std::size_t k = 0; k < 9; ++k)
                most = std::max(most,
                                in.start((i / to * 2 + k / 3) * (2 * to + 1) + i % to * 2 + k % 3));
            return most;
        });
}

// Computes the attention scores of one query for 128 keys of 64 elements, with a block of 128
// threads.
__global__ void scores_of_query(float* out, const float* query, const float4* keys) {
    __shared__ float4 q[16];
    if (threadIdx.x < 64)
        reinterpret_cast<float*>(q)[threadIdx.x] = query[blockIdx.y * 64 + threadIdx.x];
    __syncthreads();
    const int key = blockIdx.x * 128 + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 16; ++k) {
        const float4 v = keys[key * 16 + k];
        sum += q[k].x * v.x + q[k].y * v.y + q[k].z * v.z + q[k].w * v.w;
    }
    out[blockIdx.y * gridDim.x * 128 + key] = sum;
}
EXAMPLE(scores_of_query) {
    const int keys = pick(4096, 256), queries = pick(64, 4);
    const auto q = floats(queries * 64, 1), k = floats(keys * 64, 2),
               out = zeros<float>(queries * keys);
    return checked(
        [=] {
            scores_of_query<<<dim3(keys / 128, queries), 128>>>(out, q,
                                                                reinterpret_cast<float4*>(k.get()));
        },
        out,
        [=](std::size_t i) {
            return sum_of(0, 64, [&](std::size_t d) {
                return q.start(i / keys * 64 + d) * k.start(i % keys * 64 + d);
            });
        },
        1e-4);
}

// Converts bytes to floats, with one scale for each group of 32 bytes.
__global__ void scale_bytes(float4* out, const char4* in, const float* scale) {
    const char4 v = in[thread_in_grid()];
    const float s = scale[thread_in_grid() / 8];
    out[thread_in_grid()] = make_float4(s * v.x, s * v.y, s * v.z, s * v.w);
}
EXAMPLE(scale_bytes) {
    const int n = pick(1 << 22, 1 << 13);
    const auto in = integers<signed char>(n, 256);
    const auto scale = floats(n / 32), out = zeros<float>(n);
    return checked(
        [=] {
            scale_bytes<<<n / 1024, 256>>>(reinterpret_cast<float4*>(out.get()),
                                           reinterpret_cast<const char4*>(in.get()), scale);
        },
        out, [=](std::size_t i) { return scale.start(i / 32) * in.start(i); }, 1e-6);
}

// Performs a gradient descent step with weight decay on pairs of halves.
__global__ void decay_halves(__half2* weight, const __half2* gradient) {
    const __half2 w = weight[thread_in_grid()], g = gradient[thread_in_grid()];
    weight[thread_in_grid()] =
        __hsub2(__hmul2(w, __float2half2_rn(.5f)), __hmul2(g, __float2half2_rn(.25f)));
}
EXAMPLE(decay_halves) {
    const int n = pick(1 << 23, 1 << 14);
    const auto weight = halves(n, 1), gradient = halves(n, 2);
    const auto two = [](const Buffer<__half>& b) { return reinterpret_cast<__half2*>(b.get()); };
    const auto check = [=] {
        std::vector<double> values;
        for (const __half h : weight.read()) values.push_back(value_of(h));
        return compare(
            values,
            [&](std::size_t i) {
                return .5 * value_of(weight.start(i)) - .25 * value_of(gradient.start(i));
            },
            1e-3, 1 << 15);
    };
    return {[=] { decay_halves<<<n / 1024, 512>>>(two(weight), two(gradient)); }, check,
            [=] { weight.restore(); }};
}
