// Prefix sums and related algorithms.
#include "../checked.cuh"

using namespace tutorial;

namespace {

/// Returns the inclusive prefix sum over the lanes of a warp.
template <class T>
__device__ T scan_lanes(T value) {
    for (int step = 1; step < 32; step *= 2) {
        const T left = __shfl_up_sync(~0u, value, step);
        if (threadIdx.x % 32 >= step) value += left;
    }
    return value;
}

/// Returns the prefix sum at `i` if it restarts after every `length` elements.
template <class T>
double prefix(const Buffer<T>& in, std::size_t i, std::size_t length) {
    return sum_of(i / length * length, i + 1, [&](std::size_t k) { return in.start(k); });
}

}  // namespace

// Scans 32 doubles per warp.
__global__ void scan_lanes_double(double* out, const double* in) {
    out[thread_in_grid()] = scan_lanes(in[thread_in_grid()]);
}
EXAMPLE(scan_lanes_double) {
    const int n = pick(1 << 22, 1 << 14);
    const auto in = doubles(n), out = zeros<double>(n);
    return checked([=] { scan_lanes_double<<<n / 128, 128>>>(out, in); }, out,
                   [=](std::size_t i) { return prefix(in, i, 32); }, 1e-12);
}

// Implements the Kogge-Stone scan of 512 shorts in shared memory.
__global__ void scan_shorts(short* out, const short* in) {
    __shared__ short s[512];
    const int t = threadIdx.x;
    s[t] = in[blockIdx.x * 512 + t];
    for (int step = 1; step < 512; step *= 2) {
        __syncthreads();
        const short left = t >= step ? s[t - step] : 0;
        __syncthreads();
        s[t] += left;
    }
    out[blockIdx.x * 512 + t] = s[t];
}
EXAMPLE(scan_shorts) {
    const int n = pick(1 << 21, 1 << 14);
    const auto in = integers<short>(n, 50), out = zeros<short>(n);
    return checked([=] { scan_shorts<<<n / 512, 512>>>(out, in); }, out,
                   [=](std::size_t i) { return prefix(in, i, 512); });
}

// Computes exclusive scans of rows of 256 elements, with one warp per row and a running carry.
__global__ void scan_rows_exclusive(int* out, const int* in) {
    const int row = thread_in_grid() / 32, lane = threadIdx.x % 32;
    int carry = 0;
    for (int k = 0; k < 256; k += 32) {
        const int x = in[row * 256 + k + lane], sum = scan_lanes(x) + carry;
        out[row * 256 + k + lane] = sum - x;
        carry = __shfl_sync(~0u, sum, 31);
    }
}
EXAMPLE(scan_rows_exclusive) {
    const int rows = 6 * pick(2700, 20);
    const auto in = integers(rows * 256, 1000), out = zeros<int>(rows * 256);
    return checked([=] { scan_rows_exclusive<<<rows / 6, 192>>>(out, in); }, out,
                   [=](std::size_t i) { return prefix(in, i, 256) - in.start(i); });
}

// Computes the running maximum within blocks of 1024 elements.
__global__ void running_maximum(float* out, const float* in) {
    __shared__ float warps[32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float most = in[thread_in_grid()];
    for (int step = 1; step < 32; step *= 2) {
        const float left = __shfl_up_sync(~0u, most, step);
        if (lane >= step) most = fmaxf(most, left);
    }
    if (lane == 31) warps[warp] = most;
    __syncthreads();
    for (int w = 0; w < warp; ++w) most = fmaxf(most, warps[w]);
    out[thread_in_grid()] = most;
}
EXAMPLE(running_maximum) {
    const int n = pick(1 << 22, 1 << 14);
    const auto in = floats(n), out = zeros<float>(n);
    return checked([=] { running_maximum<<<n / 1024, 1024>>>(out, in); }, out,
                   [=](std::size_t i) {
                       const auto at = [&](std::size_t k) {
                           return in.start().begin() + static_cast<std::ptrdiff_t>(k);
                       };
                       return *std::max_element(at(i / 1024 * 1024), at(i + 1));
                   });
}

// Scans all elements with one block, 1024 elements per iteration.
__global__ void scan_by_one_block(int* out, const int* in, int n) {
    __shared__ int warps[33];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int carry = 0;
    for (int i = threadIdx.x; i < n; i += 1024) {
        int sum = scan_lanes(in[i]);
        if (lane == 31) warps[warp] = sum;
        __syncthreads();
        if (warp == 0) warps[lane] = scan_lanes(warps[lane]);
        __syncthreads();
        if (warp > 0) sum += warps[warp - 1];
        out[i] = sum + carry;
        carry += warps[31];
        __syncthreads();
    }
}
EXAMPLE(scan_by_one_block) {
    const int n = pick(1 << 15, 1 << 12);
    const auto in = integers(n, 1000), out = zeros<int>(n);
    return checked([=] { scan_by_one_block<<<1, 1024>>>(out, in, n); }, out,
                   [=](std::size_t i) { return prefix(in, i, 1 << 20); }, 0, 1 << 10);
}

// Computes x[i] = a[i] * x[i - 1] + b[i] as a scan of pairs (a, b).
__global__ void scan_recurrences(float* out, const float2* in) {
    float2 p = in[thread_in_grid()];
    for (int step = 1; step < 32; step *= 2) {
        const float a = __shfl_up_sync(~0u, p.x, step), b = __shfl_up_sync(~0u, p.y, step);
        if (threadIdx.x % 32 >= step) {
            p.y += p.x * b;
            p.x *= a;
        }
    }
    out[thread_in_grid()] = p.y;
}
EXAMPLE(scan_recurrences) {
    const int n = pick(1 << 22, 1 << 14);
    const auto in = floats(2 * n), out = zeros<float>(n);
    const auto expected = [=](std::size_t i) {
        double x = 0;
        for (std::size_t k = i / 32 * 32; k <= i; ++k)
            x = in.start(2 * k) * x + in.start(2 * k + 1);
        return x;
    };
    return checked(
        [=] { scan_recurrences<<<n / 256, 256>>>(out, reinterpret_cast<float2*>(in.get())); }, out,
        expected, 1e-4);
}

// Computes prefix sums down the columns, with one thread per column.
__global__ void scan_down_columns(float* out, const float* in, int width, int height) {
    const int x = thread_in_grid();
    float sum = 0;
    for (int y = 0; y < height; ++y) {
        sum += in[y * width + x];
        out[y * width + x] = sum;
    }
}
EXAMPLE(scan_down_columns) {
    const int width = pick(16384, 512), height = pick(256, 32);
    const auto in = floats(width * height), out = zeros<float>(width * height);
    const auto expected = [=](std::size_t i) {
        return sum_of(0, i / width + 1,
                      [&](std::size_t y) { return in.start(y * width + i % width); });
    };
    return checked([=] { scan_down_columns<<<width / 128, 128>>>(out, in, width, height); }, out,
                   expected, 1e-4);
}

// Computes the rows of a summed-area table, with one block per row of 1024 bytes and four bytes per
// thread.
__global__ void sum_area_rows(unsigned* out, const uchar4* in) {
    __shared__ unsigned warps[8];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const uchar4 v = in[thread_in_grid()];
    const unsigned a = v.x, b = a + v.y, c = b + v.z, d = c + v.w;
    unsigned before = scan_lanes(d) - d;
    if (lane == 31) warps[warp] = before + d;
    __syncthreads();
    for (int w = 0; w < warp; ++w) before += warps[w];
    reinterpret_cast<uint4*>(out)[thread_in_grid()] =
        make_uint4(before + a, before + b, before + c, before + d);
}
EXAMPLE(sum_area_rows) {
    const int rows = pick(4096, 32);
    const auto in = integers<unsigned char>(rows * 1024, 256);
    const auto out = zeros<unsigned>(rows * 1024);
    return checked([=] { sum_area_rows<<<rows, 256>>>(out, reinterpret_cast<uchar4*>(in.get())); },
                   out, [=](std::size_t i) { return prefix(in, i, 1024); });
}

// Numbers the runs of equal elements in each group of 256, and stores each element's run number.
__global__ void number_runs(int* out, const unsigned char* in) {
    __shared__ int warps[8];
    const int i = thread_in_grid(), lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const bool is_head = threadIdx.x > 0 && in[i] != in[i - 1];
    const unsigned heads = __ballot_sync(~0u, is_head);
    if (lane == 0) warps[warp] = __popc(heads);
    __syncthreads();
    int before = 0;
    for (int w = 0; w < warp; ++w) before += warps[w];
    out[i] = before + __popc(heads & (2u << lane) - 1);
}
EXAMPLE(number_runs) {
    const int n = pick(1 << 22, 1 << 14);
    const auto in = integers<unsigned char>(n, 3);
    const auto out = zeros<int>(n);
    const auto expected = [=](std::size_t i) {
        int runs = 0;
        for (std::size_t k = i / 256 * 256 + 1; k <= i; ++k) runs += in.start(k) != in.start(k - 1);
        return runs;
    };
    return checked([=] { number_runs<<<n / 256, 256>>>(out, in); }, out, expected);
}

// Loads and scans eight elements per thread as two vectors. Blocks have 64 threads.
__global__ void scan_eight_each(int* out, const int4* in) {
    __shared__ int first_warp;
    int4 a = in[2 * thread_in_grid()], b = in[2 * thread_in_grid() + 1];
    a.y += a.x, a.z += a.y, a.w += a.z, b.x += a.w, b.y += b.x, b.z += b.y, b.w += b.z;
    const int own = b.w;
    int before = scan_lanes(own) - own;
    if (threadIdx.x == 31) first_warp = before + own;
    __syncthreads();
    if (threadIdx.x >= 32) before += first_warp;
    int4* to = reinterpret_cast<int4*>(out) + 2 * thread_in_grid();
    to[0] = make_int4(a.x + before, a.y + before, a.z + before, a.w + before);
    to[1] = make_int4(b.x + before, b.y + before, b.z + before, b.w + before);
}
EXAMPLE(scan_eight_each) {
    const int n = pick(1 << 22, 1 << 14);
    const auto in = integers(n, 1000), out = zeros<int>(n);
    return checked(
        [=] { scan_eight_each<<<n / 512, 64>>>(out, reinterpret_cast<int4*>(in.get())); }, out,
        [=](std::size_t i) { return prefix(in, i, 512); });
}
