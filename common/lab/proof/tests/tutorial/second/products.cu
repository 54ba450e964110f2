// Matrix and matrix-vector products.
#include "../checked.cuh"

using namespace tutorial;

namespace {

constexpr std::size_t kSamples = 3000;

/// Returns element `i` of A * B. A has `inner` columns, and B has `width` columns.
template <class T>
double product_at(const Buffer<T>& a, const Buffer<T>& b, std::size_t i, std::size_t inner,
                  std::size_t width) {
    return sum_of(0, inner, [&](std::size_t k) {
        return static_cast<double>(a.start(i / width * inner + k)) *
               static_cast<double>(b.start(k * width + i % width));
    });
}

}  // namespace

// Multiplies tiles of 32 x 32 elements with blocks of 32 x 8 threads, four rows per thread.
__global__ void product_four_rows(float* c, const float* a, const float* b, int n) {
    __shared__ float at[32][32], bt[32][32];
    const int x = threadIdx.x, y = threadIdx.y, col = blockIdx.x * 32 + x,
              row = blockIdx.y * 32 + y;
    float sum[4] = {};
    for (int k = 0; k < n; k += 32) {
        for (int j = 0; j < 32; j += 8) {
            at[y + j][x] = a[(row + j) * n + k + x];
            bt[y + j][x] = b[(k + y + j) * n + col];
        }
        __syncthreads();
        for (int q = 0; q < 32; ++q)
            for (int j = 0; j < 4; ++j) sum[j] += at[y + 8 * j][q] * bt[q][x];
        __syncthreads();
    }
    for (int j = 0; j < 4; ++j) c[(row + 8 * j) * n + col] = sum[j];
}
EXAMPLE(product_four_rows) {
    const int n = pick(640, 64);
    const auto a = floats(n * n, 1), b = floats(n * n, 2), c = zeros<float>(n * n);
    return checked([=] { product_four_rows<<<dim3(n / 32, n / 32), dim3(32, 8)>>>(c, a, b, n); }, c,
                   [=](std::size_t i) { return product_at(a, b, i, n, n); }, 1e-4, kSamples);
}

// Multiplies A by the transpose of B, without shared memory.
__global__ void product_by_rows(float* c, const float* a, const float* b, int n) {
    const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; ++k) sum += a[y * n + k] * b[x * n + k];
    c[y * n + x] = sum;
}
EXAMPLE(product_by_rows) {
    const int n = pick(512, 64);
    const auto a = floats(n * n, 1), b = floats(n * n, 2), c = zeros<float>(n * n);
    const auto expected = [=](std::size_t i) {
        return sum_of(
            0, n, [&](std::size_t k) { return a.start(i / n * n + k) * b.start(i % n * n + k); });
    };
    return checked([=] { product_by_rows<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(c, a, b, n); }, c,
                   expected, 1e-4, kSamples);
}

// Multiplies integer matrices in tiles of 16 x 16.
__global__ void product_of_integers(int* c, const int* a, const int* b, int n) {
    __shared__ int at[16][16], bt[16][16];
    const int x = threadIdx.x, y = threadIdx.y, col = blockIdx.x * 16 + x,
              row = blockIdx.y * 16 + y;
    int sum = 0;
    for (int k = 0; k < n; k += 16) {
        at[y][x] = a[row * n + k + x];
        bt[y][x] = b[(k + y) * n + col];
        __syncthreads();
        for (int q = 0; q < 16; ++q) sum += at[y][q] * bt[q][x];
        __syncthreads();
    }
    c[row * n + col] = sum;
}
EXAMPLE(product_of_integers) {
    const int n = pick(640, 64);
    const auto a = integers(n * n, 100, 1), b = integers(n * n, 100, 2), c = zeros<int>(n * n);
    return checked([=] { product_of_integers<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(c, a, b, n); },
                   c, [=](std::size_t i) { return product_at(a, b, i, n, n); }, 0, kSamples);
}

// Multiplies matrices of doubles. A block of 16 x 16 threads computes 32 x 32 elements, four per
// thread.
__global__ void product_of_doubles(double* c, const double* a, const double* b, int n) {
    __shared__ double at[32][17], bt[16][32];
    const int x = threadIdx.x, y = threadIdx.y, col = blockIdx.x * 32 + x,
              row = blockIdx.y * 32 + y;
    double s00 = 0, s01 = 0, s10 = 0, s11 = 0;
    for (int k = 0; k < n; k += 16) {
        at[y][x] = a[row * n + k + x];
        at[y + 16][x] = a[(row + 16) * n + k + x];
        bt[y][x] = b[(k + y) * n + col];
        bt[y][x + 16] = b[(k + y) * n + col + 16];
        __syncthreads();
        for (int q = 0; q < 16; ++q) {
            s00 += at[y][q] * bt[q][x], s01 += at[y][q] * bt[q][x + 16];
            s10 += at[y + 16][q] * bt[q][x], s11 += at[y + 16][q] * bt[q][x + 16];
        }
        __syncthreads();
    }
    c[row * n + col] = s00, c[row * n + col + 16] = s01;
    c[(row + 16) * n + col] = s10, c[(row + 16) * n + col + 16] = s11;
}
EXAMPLE(product_of_doubles) {
    const int n = pick(640, 64);
    const auto a = doubles(n * n, 1), b = doubles(n * n, 2), c = zeros<double>(n * n);
    return checked([=] { product_of_doubles<<<dim3(n / 32, n / 32), dim3(16, 16)>>>(c, a, b, n); },
                   c, [=](std::size_t i) { return product_at(a, b, i, n, n); }, 1e-10, kSamples);
}

// Multiplies complex matrices in tiles of 16 x 16.
__global__ void product_of_complex(float2* c, const float2* a, const float2* b, int n) {
    __shared__ float2 at[16][16], bt[16][16];
    const int x = threadIdx.x, y = threadIdx.y, col = blockIdx.x * 16 + x,
              row = blockIdx.y * 16 + y;
    float2 sum = make_float2(0, 0);
    for (int k = 0; k < n; k += 16) {
        at[y][x] = a[row * n + k + x];
        bt[y][x] = b[(k + y) * n + col];
        __syncthreads();
        for (int q = 0; q < 16; ++q) {
            const float2 u = at[y][q], v = bt[q][x];
            sum.x += u.x * v.x - u.y * v.y;
            sum.y += u.x * v.y + u.y * v.x;
        }
        __syncthreads();
    }
    c[row * n + col] = sum;
}
EXAMPLE(product_of_complex) {
    const int n = pick(512, 64);
    const auto a = floats(2 * n * n, 1), b = floats(2 * n * n, 2), c = zeros<float>(2 * n * n);
    const auto expected = [=](std::size_t i) {
        const std::size_t row = i / 2 / n, col = i / 2 % n;
        return sum_of(0, n, [&](std::size_t k) {
            const double ax = a.start(2 * (row * n + k)), ay = a.start(2 * (row * n + k) + 1),
                         bx = b.start(2 * (k * n + col)), by = b.start(2 * (k * n + col) + 1);
            return i % 2 == 0 ? ax * bx - ay * by : ax * by + ay * bx;
        });
    };
    return checked(
        [=] {
            product_of_complex<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(
                reinterpret_cast<float2*>(c.get()), reinterpret_cast<float2*>(a.get()),
                reinterpret_cast<float2*>(b.get()), n);
        },
        c, expected, 1e-3, kSamples);
}

// Computes many products of 16 x 16 matrices, one product per block.
__global__ void products_of_blocks(float* c, const float* a, const float* b) {
    __shared__ float at[16][16], bt[16][16];
    const int x = threadIdx.x, y = threadIdx.y, i = blockIdx.x * 256 + y * 16 + x;
    at[y][x] = a[i];
    bt[y][x] = b[i];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 16; ++k) sum += at[y][k] * bt[k][x];
    c[i] = sum;
}
EXAMPLE(products_of_blocks) {
    const int count = pick(8192, 40);
    const auto a = floats(count * 256, 1), b = floats(count * 256, 2),
               c = zeros<float>(count * 256);
    const auto expected = [=](std::size_t i) {
        return sum_of(0, 16, [&](std::size_t k) {
            return a.start(i / 16 * 16 + k) * b.start(i / 256 * 256 + k * 16 + i % 16);
        });
    };
    return checked([=] { products_of_blocks<<<count, dim3(16, 16)>>>(c, a, b); }, c, expected,
                   1e-5);
}

// Multiplies two 4 x 4 matrices per thread, using vectors of four elements.
__global__ void products_of_fours(float4* c, const float4* a, const float4* b) {
    const int first = thread_in_grid() * 4;
    const float4 b0 = b[first], b1 = b[first + 1], b2 = b[first + 2], b3 = b[first + 3];
    for (int row = 0; row < 4; ++row) {
        const float4 v = a[first + row];
        c[first + row] = make_float4(v.x * b0.x + v.y * b1.x + v.z * b2.x + v.w * b3.x,
                                     v.x * b0.y + v.y * b1.y + v.z * b2.y + v.w * b3.y,
                                     v.x * b0.z + v.y * b1.z + v.z * b2.z + v.w * b3.z,
                                     v.x * b0.w + v.y * b1.w + v.z * b2.w + v.w * b3.w);
    }
}
EXAMPLE(products_of_fours) {
    const int count = pick(1 << 17, 1 << 9);
    const auto a = floats(count * 16, 1), b = floats(count * 16, 2), c = zeros<float>(count * 16);
    const auto expected = [=](std::size_t i) {
        return sum_of(0, 4, [&](std::size_t k) {
            return a.start(i / 4 * 4 + k) * b.start(i / 16 * 16 + k * 4 + i % 4);
        });
    };
    return checked(
        [=] {
            products_of_fours<<<count / 128, 128>>>(reinterpret_cast<float4*>(c.get()),
                                                    reinterpret_cast<float4*>(a.get()),
                                                    reinterpret_cast<float4*>(b.get()));
        },
        c, expected, 1e-5);
}

// Multiplies a row vector by a matrix. Each thread processes 64 rows of one column.
__global__ void vector_times_matrix(float* out, const float* x, const float* a, int width) {
    const int col = thread_in_grid(), first = blockIdx.y * 64;
    float sum = 0;
    for (int row = first; row < first + 64; ++row) sum += x[row] * a[row * width + col];
    out[blockIdx.y * width + col] = sum;
}
EXAMPLE(vector_times_matrix) {
    const int width = pick(2048, 256), height = pick(4096, 256);
    const auto x = floats(height, 1), a = floats(width * height, 2),
               out = zeros<float>(width * height / 64);
    const auto expected = [=](std::size_t i) {
        const std::size_t first = i / width * 64;
        return sum_of(first, first + 64, [&](std::size_t row) {
            return x.start(row) * a.start(row * width + i % width);
        });
    };
    return checked(
        [=] { vector_times_matrix<<<dim3(width / 128, height / 64), 128>>>(out, x, a, width); },
        out, expected, 1e-5);
}

// Multiplies the transpose of A by A, which has 32 columns. A single block of 32 x 32 threads
// computes the whole product.
__global__ void gram_matrix(float* out, const float* a, int rows) {
    __shared__ float s[32][32];
    const int x = threadIdx.x, y = threadIdx.y;
    const float* own = a + blockIdx.x * rows * 32;
    float sum = 0;
    for (int r = 0; r < rows; r += 32) {
        s[y][x] = own[(r + y) * 32 + x];
        __syncthreads();
        for (int k = 0; k < 32; ++k) sum += s[k][y] * s[k][x];
        __syncthreads();
    }
    out[blockIdx.x * 1024 + y * 32 + x] = sum;
}
EXAMPLE(gram_matrix) {
    const int count = pick(528, 4), rows = 256;
    const auto a = floats(count * rows * 32), out = zeros<float>(count * 1024);
    const auto expected = [=](std::size_t i) {
        return sum_of(0, rows, [&](std::size_t r) {
            const std::size_t row = (i / 1024 * rows + r) * 32;
            return a.start(row + i % 1024 / 32) * a.start(row + i % 32);
        });
    };
    return checked([=] { gram_matrix<<<count, dim3(32, 32)>>>(out, a, rows); }, out, expected,
                   1e-4);
}

// Multiplies a matrix of halves by a vector, with one warp per row and two elements per lane.
__global__ void half_matrix_times_vector(float* out, const __half2* a, const float2* x, int width) {
    const int row = thread_in_grid() / 32;
    float sum = 0;
    for (int k = threadIdx.x % 32; k < width / 2; k += 32) {
        const float2 u = __half22float2(a[row * (width / 2) + k]), v = x[k];
        sum += u.x * v.x + u.y * v.y;
    }
    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0) out[row] = sum;
}
EXAMPLE(half_matrix_times_vector) {
    const int width = pick(3072, 256), height = pick(4096, 64);
    const auto a = halves(width * height);
    const auto x = floats(width), out = zeros<float>(height);
    const auto expected = [=](std::size_t row) {
        return sum_of(0, width, [&](std::size_t k) {
            return value_of(a.start(row * width + k)) * x.start(k);
        });
    };
    return checked(
        [=] {
            half_matrix_times_vector<<<height / 4, 128>>>(out, reinterpret_cast<__half2*>(a.get()),
                                                          reinterpret_cast<float2*>(x.get()),
                                                          width);
        },
        out, expected, 1e-4, kSamples);
}

// Performs a symmetric rank-one update in place: A += s * x * x^T.
__global__ void update_rank_one(float* a, const float* x, float s, int n) {
    const int col = blockIdx.x * 64 + threadIdx.x, row = blockIdx.y * 4 + threadIdx.y;
    a[row * n + col] += s * x[row] * x[col];
}
EXAMPLE(update_rank_one) {
    const int n = pick(3072, 256);
    const auto a = floats(n * n, 1), x = floats(n, 2);
    return in_place(
        [=] { update_rank_one<<<dim3(n / 64, n / 4), dim3(64, 4)>>>(a, x, .5f, n); }, a,
        [=](std::size_t i) { return a.start(i) + .5f * x.start(i / n) * x.start(i % n); }, 1e-5);
}

// Multiplies a lower triangular matrix by a vector,
// with one block per row. Rows differ in length.
__global__ void triangle_times_vector(float* out, const float* a, const float* x, int n) {
    __shared__ float warps[4];
    float sum = 0;
    for (int k = threadIdx.x; k <= blockIdx.x; k += 128) sum += a[blockIdx.x * n + k] * x[k];
    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = warps[0] + warps[1] + warps[2] + warps[3];
}
EXAMPLE(triangle_times_vector) {
    const int n = pick(3072, 256);
    const auto a = floats(n * n, 1), x = floats(n, 2), out = zeros<float>(n);
    const auto expected = [=](std::size_t row) {
        return sum_of(0, row + 1, [&](std::size_t k) { return a.start(row * n + k) * x.start(k); });
    };
    return checked([=] { triangle_times_vector<<<n, 128>>>(out, a, x, n); }, out, expected, 1e-4,
                   kSamples);
}
