// Sums, maxima and other reductions.
#include "../checked.cuh"

using namespace tutorial;

// Computes the variance of each row, with three elements per thread.
__global__ void row_variances(float* out, const float* in) {
    __shared__ float parts[2][6];
    float sum = 0, squares = 0;
    for (int k = 0; k < 3; ++k) {
        const float x = in[blockIdx.x * 576 + k * 192 + threadIdx.x];
        sum += x;
        squares += x * x;
    }
    sum = warp_sum(sum);
    squares = warp_sum(squares);
    if (threadIdx.x % 32 == 0) {
        parts[0][threadIdx.x / 32] = sum;
        parts[1][threadIdx.x / 32] = squares;
    }
    __syncthreads();
    if (threadIdx.x > 0) return;
    for (int w = 1; w < 6; ++w) sum += parts[0][w], squares += parts[1][w];
    out[blockIdx.x] = squares / 576 - sum / 576 * (sum / 576);
}
EXAMPLE(row_variances) {
    const int rows = pick(8192, 64);
    const auto in = floats(rows * 576), out = zeros<float>(rows);
    const auto expected = [=](std::size_t r) {
        const double mean =
            sum_of(r * 576, r * 576 + 576, [&](std::size_t i) { return in.start(i); }) / 576;
        return sum_of(r * 576, r * 576 + 576,
                      [&](std::size_t i) { return (in.start(i) - mean) * (in.start(i) - mean); }) /
               576;
    };
    return checked([=] { row_variances<<<rows, 192>>>(out, in); }, out, expected, 1e-4);
}

// Computes the dot product of two vectors of halves, with one sum per warp.
__global__ void dot_halves(float* out, const __half2* a, const __half2* b, int n) {
    float sum = 0;
    for (int i = thread_in_grid(); i < n; i += gridDim.x * blockDim.x) {
        const float2 x = __half22float2(a[i]), y = __half22float2(b[i]);
        sum += x.x * y.x + x.y * y.y;
    }
    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0) out[thread_in_grid() / 32] = sum;
}
EXAMPLE(dot_halves) {
    const int n = pick(1 << 22, 1 << 16), threads = 264 * 512;
    const auto a = halves(2 * n, 1), b = halves(2 * n, 2);
    const auto out = zeros<float>(threads / 32);
    const auto expected = [=](std::size_t w) {
        double sum = 0;
        for (std::size_t lane = w * 32; lane < w * 32 + 32; ++lane)
            for (std::size_t i = lane; i < static_cast<std::size_t>(n); i += threads)
                sum += value_of(a.start(2 * i)) * value_of(b.start(2 * i)) +
                       value_of(a.start(2 * i + 1)) * value_of(b.start(2 * i + 1));
        return sum;
    };
    return checked(
        [=] {
            dot_halves<<<264, 512>>>(out, reinterpret_cast<__half2*>(a.get()),
                                     reinterpret_cast<__half2*>(b.get()), n);
        },
        out, expected, 1e-4);
}

// Adds signed bytes, sixteen per load, with the dot-product instruction for bytes.
__global__ void add_up_bytes(int* out, const int4* in) {
    const int4 v = in[thread_in_grid()];
    int sum = __dp4a(v.x, 0x01010101, 0);
    sum = __dp4a(v.y, 0x01010101, sum);
    sum = __dp4a(v.z, 0x01010101, sum);
    sum = __dp4a(v.w, 0x01010101, sum);
    sum = __reduce_add_sync(~0u, sum);
    if (threadIdx.x % 32 == 0) out[thread_in_grid() / 32] = sum;
}
EXAMPLE(add_up_bytes) {
    const int n = pick(1 << 25, 1 << 17);
    const auto in = integers<signed char>(n, 256);
    const auto out = zeros<int>(n / 512);
    return checked(
        [=] { add_up_bytes<<<n / 16 / 128, 128>>>(out, reinterpret_cast<const int4*>(in.get())); },
        out,
        [=](std::size_t w) {
            return sum_of(w * 512, w * 512 + 512, [&](std::size_t i) { return in.start(i); });
        });
}

// Computes the Euclidean norms of columns. A block of 32 x 16 threads processes 32 columns, and
// combines the sums of the sixteen thread rows in shared memory.
__global__ void column_lengths(float* out, const float* in, int width, int height) {
    __shared__ float parts[16][33];
    const int x = blockIdx.x * 32 + threadIdx.x;
    float sum = 0;
    for (int y = threadIdx.y; y < height; y += 16) sum += in[y * width + x] * in[y * width + x];
    parts[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    for (int half = 8; half > 0; half /= 2) {
        if (threadIdx.y < half)
            parts[threadIdx.y][threadIdx.x] += parts[threadIdx.y + half][threadIdx.x];
        __syncthreads();
    }
    if (threadIdx.y == 0) out[x] = sqrtf(parts[0][threadIdx.x]);
}
EXAMPLE(column_lengths) {
    const int width = pick(8192, 256), height = pick(768, 48);
    const auto in = floats(width * height), out = zeros<float>(width);
    const auto expected = [=](std::size_t x) {
        return std::sqrt(sum_of(0, height, [&](std::size_t y) {
            return in.start(y * width + x) * in.start(y * width + x);
        }));
    };
    return checked([=] { column_lengths<<<width / 32, dim3(32, 16)>>>(out, in, width, height); },
                   out, expected, 1e-4);
}

// Computes the logarithm of the sum of exponentials of each row of 96 elements, in doubles, with
// one warp per row.
__global__ void log_sum_exp(double* out, const double* in) {
    const int row = thread_in_grid() / 32, lane = threadIdx.x % 32;
    double sum = 0;
    for (int k = lane; k < 96; k += 32) sum += exp(in[row * 96 + k]);
    sum = warp_sum(sum);
    if (lane == 0) out[row] = log(sum);
}
EXAMPLE(log_sum_exp) {
    const int rows = pick(1 << 15, 1 << 9);
    const auto in = doubles(rows * 96), out = zeros<double>(rows);
    const auto expected = [=](std::size_t r) {
        return std::log(
            sum_of(r * 96, r * 96 + 96, [&](std::size_t i) { return std::exp(in.start(i)); }));
    };
    return checked([=] { log_sum_exp<<<rows / 4, 128>>>(out, in); }, out, expected, 1e-9);
}

// Counts the nonzero values in each group of 32 shorts with a warp vote.
__global__ void votes(unsigned char* out, const unsigned short* in) {
    const unsigned found = __ballot_sync(~0u, in[thread_in_grid()] != 0);
    if (threadIdx.x % 32 == 0) out[thread_in_grid() / 32] = __popc(found);
}
EXAMPLE(votes) {
    const int n = pick(1 << 23, 1 << 15);
    const auto in = integers<unsigned short>(n, 3);
    const auto out = zeros<unsigned char>(n / 32);
    return checked([=] { votes<<<n / 256, 256>>>(out, in); }, out,
                   [=](std::size_t w) {
                       return sum_of(w * 32, w * 32 + 32,
                                     [&](std::size_t i) { return in.start(i) != 0; });
                   });
}

// Finds the index of the smallest element of each row. A value and its index are packed into 64
// bits.
__global__ void smallest_in_row(int* out, const unsigned* in) {
    __shared__ unsigned long long other;
    unsigned long long best = ~0ull;
    for (int k = threadIdx.x; k < 1000; k += 64) {
        const unsigned long long key =
            static_cast<unsigned long long>(in[blockIdx.x * 1000 + k]) << 32 | k;
        best = min(best, key);
    }
    for (int step = 16; step > 0; step /= 2) best = min(best, __shfl_xor_sync(~0u, best, step));
    if (threadIdx.x == 32) other = best;
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = static_cast<int>(min(best, other) & 0xffffffff);
}
EXAMPLE(smallest_in_row) {
    const int rows = pick(4096, 100);
    const auto in = integers<unsigned>(rows * 1000, 1u << 31);
    const auto out = zeros<int>(rows);
    return checked([=] { smallest_in_row<<<rows, 64>>>(out, in); }, out,
                   [=](std::size_t r) {
                       const auto begin =
                           in.start().begin() + static_cast<std::ptrdiff_t>(r * 1000);
                       return std::min_element(begin, begin + 1000) - begin;
                   });
}

// Adds up the planes of a three-dimensional array of doubles.
__global__ void add_planes(double* out, const double* in, int plane, int planes) {
    const int i = thread_in_grid();
    double sum = 0;
    for (int z = 0; z < planes; ++z) sum += in[z * plane + i];
    out[i] = sum;
}
EXAMPLE(add_planes) {
    const int plane = pick(1 << 17, 1 << 10), planes = 24;
    const auto in = doubles(plane * planes), out = zeros<double>(plane);
    return checked([=] { add_planes<<<plane / 64, 64>>>(out, in, plane, planes); }, out,
                   [=](std::size_t i) {
                       return sum_of(0, planes,
                                     [&](std::size_t z) { return in.start(z * plane + i); });
                   },
                   1e-12);
}

// Computes sums with compensated rounding errors (Kahan summation).
__global__ void careful_sums(float* out, const float* in, int n) {
    const int threads = gridDim.x * blockDim.x;
    float sum = 0, error = 0;
    for (int i = thread_in_grid(); i < n; i += threads) {
        const float term = in[i] - error, next = sum + term;
        error = (next - sum) - term;
        sum = next;
    }
    out[thread_in_grid()] = sum;
}
EXAMPLE(careful_sums) {
    const int threads = 1024 * 96, n = threads * pick(40, 2);
    const auto in = floats(n), out = zeros<float>(threads);
    return checked([=] { careful_sums<<<1024, 96>>>(out, in, n); }, out,
                   [=](std::size_t t) {
                       double sum = 0;
                       for (std::size_t i = t; i < in.size(); i += threads) sum += in.start(i);
                       return sum;
                   },
                   1e-6);
}

// Sums everything with one block.
__global__ void one_block_sum(int* out, const int* in, int n) {
    __shared__ int total;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    int sum = 0;
    for (int i = threadIdx.x; i < n; i += 1024) sum += in[i];
    sum = __reduce_add_sync(~0u, sum);
    if (threadIdx.x % 32 == 0) atomicAdd(&total, sum);
    __syncthreads();
    if (threadIdx.x == 0) out[0] = total;
}
EXAMPLE(one_block_sum) {
    const int n = pick(1 << 16, 1 << 12);
    const auto in = integers(n, 100), out = zeros<int>(1);
    return checked([=] { one_block_sum<<<1, 1024>>>(out, in, n); }, out,
                   [=](std::size_t) {
                       return sum_of(0, in.size(), [&](std::size_t i) { return in.start(i); });
                   });
}

// Performs the last stage of a sum: 256 threads add up the sums of all blocks.
__global__ void last_stage(double* out, const double* in, int n) {
    __shared__ double s[256];
    double sum = 0;
    for (int i = threadIdx.x; i < n; i += 256) sum += in[i];
    s[threadIdx.x] = sum;
    for (int half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) s[threadIdx.x] += s[threadIdx.x + half];
    }
    if (threadIdx.x == 0) *out = s[0];
}
EXAMPLE(last_stage) {
    const int n = pick(8192, 1024);
    const auto in = doubles(n), out = zeros<double>(1);
    return checked([=] { last_stage<<<1, 256>>>(out, in, n); }, out,
                   [=](std::size_t) {
                       return sum_of(0, in.size(), [&](std::size_t i) { return in.start(i); });
                   },
                   1e-12);
}

// Finds the largest difference between two vectors in each block of 1024 threads.
__global__ void largest_difference(float* out, const float2* a, const float2* b) {
    __shared__ float warps[32];
    const float2 x = a[thread_in_grid()], y = b[thread_in_grid()];
    float most = fmaxf(fabsf(x.x - y.x), fabsf(x.y - y.y));
    for (int step = 16; step > 0; step /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, step));
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = most;
    __syncthreads();
    if (threadIdx.x >= 32) return;
    most = warps[threadIdx.x];
    for (int step = 16; step > 0; step /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, step));
    if (threadIdx.x == 0) out[blockIdx.x] = most;
}
EXAMPLE(largest_difference) {
    const int n = pick(1 << 22, 1 << 16);
    const auto a = floats(n, 1), b = floats(n, 2), out = zeros<float>(n / 2048);
    const auto expected = [=](std::size_t block) {
        float most = 0;
        for (std::size_t i = block * 2048; i < block * 2048 + 2048; ++i)
            most = std::max(most, std::fabs(a.start(i) - b.start(i)));
        return most;
    };
    return checked(
        [=] {
            largest_difference<<<n / 2048, 1024>>>(out, reinterpret_cast<float2*>(a.get()),
                                                   reinterpret_cast<float2*>(b.get()));
        },
        out, expected);
}
