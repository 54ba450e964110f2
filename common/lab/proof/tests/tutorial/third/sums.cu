// Reductions, scans and sorts.
#include "../checked.cuh"

using namespace tutorial;

namespace {

/// Returns the sum of the `length` elements of an array that start at `begin`.
template <class T>
double stretch(const Buffer<T>& in, std::size_t begin, std::size_t length) {
    return sum_of(begin, begin + length, [&](std::size_t i) { return in.start(i); });
}

}  // namespace

// Sums the 640 doubles of each block with a tree reduction.
__global__ void sum_odd_blocks(double* out, const double* in) {
    __shared__ double s[320];
    const int t = threadIdx.x, first = blockIdx.x * 640;
    s[t] = in[first + t] + in[first + t + 320];
    for (int n = 320; n > 1; n = (n + 1) / 2) {
        __syncthreads();
        const int half = (n + 1) / 2;
        if (t < n / 2) s[t] += s[t + half];
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
EXAMPLE(sum_odd_blocks) {
    const int blocks = pick(4096, 24);
    const auto in = doubles(blocks * 640), out = zeros<double>(blocks);
    return checked([=] { sum_odd_blocks<<<blocks, 320>>>(out, in); }, out,
                   [=](std::size_t b) { return stretch(in, b * 640, 640); }, 1e-12);
}

// Computes the product of every eight adjacent elements with shuffles.
__global__ void products_of_eights(float* out, const float* in) {
    float p = in[thread_in_grid()];
    for (int step = 1; step < 8; step *= 2) p *= __shfl_xor_sync(~0u, p, step);
    if (threadIdx.x % 8 == 0) out[thread_in_grid() / 8] = p;
}
EXAMPLE(products_of_eights) {
    const int n = pick(1 << 22, 1 << 14);
    const auto in = floats(n), out = zeros<float>(n / 8);
    const auto expected = [=](std::size_t g) {
        double p = 1;
        for (std::size_t i = g * 8; i < g * 8 + 8; ++i) p *= in.start(i);
        return p;
    };
    return checked([=] { products_of_eights<<<n / 512, 512>>>(out, in); }, out, expected, 1e-5);
}

// Computes the mean and maximum of each row of 4096 shorts.
__global__ void row_statistics(float2* out, const short2* in) {
    __shared__ int sums[8], maxima[8];
    int sum = 0, most = -32768;
    for (int k = threadIdx.x; k < 2048; k += 256) {
        const short2 v = in[blockIdx.x * 2048 + k];
        sum += v.x + v.y;
        most = max(most, max(v.x, v.y));
    }
    sum = __reduce_add_sync(~0u, sum);
    most = __reduce_max_sync(~0u, most);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum, maxima[threadIdx.x / 32] = most;
    __syncthreads();
    if (threadIdx.x > 0) return;
    for (int w = 1; w < 8; ++w) sum += sums[w], most = max(most, maxima[w]);
    out[blockIdx.x] = make_float2(sum / 4096.0f, most);
}
EXAMPLE(row_statistics) {
    const int rows = pick(2048, 12);
    const auto in = integers<short>(rows * 4096, 20000);
    const auto out = zeros<float>(2 * rows);
    const auto expected = [=](std::size_t i) {
        if (i % 2 == 0) return stretch(in, i / 2 * 4096, 4096) / 4096;
        const auto begin = in.start().begin() + static_cast<std::ptrdiff_t>(i / 2 * 4096);
        return static_cast<double>(*std::max_element(begin, begin + 4096));
    };
    return checked(
        [=] {
            row_statistics<<<rows, 256>>>(reinterpret_cast<float2*>(out.get()),
                                          reinterpret_cast<const short2*>(in.get()));
        },
        out, expected, 1e-4);
}

// Computes the moments of each group of sixteen adjacent elements. Each thread reads four vectors.
__global__ void moments_of_sixteen(float2* out, const float4* in) {
    float sum = 0, squares = 0;
    for (int k = 0; k < 4; ++k) {
        const float4 v = in[thread_in_grid() * 4 + k];
        sum += v.x + v.y + v.z + v.w;
        squares += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    out[thread_in_grid()] = make_float2(sum, squares);
}
EXAMPLE(moments_of_sixteen) {
    const int n = pick(1 << 22, 1 << 14);
    const auto in = floats(n), out = zeros<float>(n / 8);
    const auto expected = [=](std::size_t i) {
        return sum_of(i / 2 * 16, i / 2 * 16 + 16, [&](std::size_t k) {
            return i % 2 == 0 ? in.start(k) : in.start(k) * in.start(k);
        });
    };
    return checked(
        [=] {
            moments_of_sixteen<<<n / 16 / 128, 128>>>(reinterpret_cast<float2*>(out.get()),
                                                      reinterpret_cast<float4*>(in.get()));
        },
        out, expected, 1e-5);
}

// Scans 1024 floats with 256 threads. Each thread adds up four elements, and the warps then scan
// the sums.
__global__ void scan_by_fours(float* out, const float4* in) {
    __shared__ float warps[8];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float4 v = in[thread_in_grid()];
    v.y += v.x, v.z += v.y, v.w += v.z;
    float sum = v.w;
    for (int step = 1; step < 32; step *= 2) {
        const float left = __shfl_up_sync(~0u, sum, step);
        if (lane >= step) sum += left;
    }
    if (lane == 31) warps[warp] = sum;
    __syncthreads();
    float before = sum - v.w;
    for (int w = 0; w < warp; ++w) before += warps[w];
    reinterpret_cast<float4*>(out)[thread_in_grid()] =
        make_float4(v.x + before, v.y + before, v.z + before, v.w + before);
}
EXAMPLE(scan_by_fours) {
    const int n = pick(1 << 22, 1 << 14);
    const auto in = floats(n), out = zeros<float>(n);
    return checked(
        [=] { scan_by_fours<<<n / 1024, 256>>>(out, reinterpret_cast<float4*>(in.get())); }, out,
        [=](std::size_t i) { return stretch(in, i / 1024 * 1024, i % 1024 + 1); }, 1e-4);
}

// Counts, for each word, the bits that are set in the preceding words of its block.
__global__ void ranks_of_words(int* out, const unsigned* words) {
    __shared__ int s[2][128];
    const int t = threadIdx.x, own = __popc(words[thread_in_grid()]);
    s[0][t] = own;
    int from = 0;
    for (int step = 1; step < 128; step *= 2, from = 1 - from) {
        __syncthreads();
        s[1 - from][t] = s[from][t] + (t >= step ? s[from][t - step] : 0);
    }
    out[thread_in_grid()] = s[from][t] - own;
}
EXAMPLE(ranks_of_words) {
    const int n = pick(1 << 21, 1 << 12);
    const auto words = filled(n, [](std::size_t i) { return noise(i); });
    const auto out = zeros<int>(n);
    return checked([=] { ranks_of_words<<<n / 128, 128>>>(out, words); }, out,
                   [=](std::size_t i) {
                       return sum_of(i / 128 * 128, i, [&](std::size_t k) {
                           return __builtin_popcount(words.start(k));
                       });
                   });
}

// Sorts four integers per thread with five compare-exchange operations.
__global__ void sort_fours(int4* data) {
    int4 v = data[thread_in_grid()];
    const auto order = [](int& a, int& b) {
        const int low = min(a, b);
        b = max(a, b);
        a = low;
    };
    order(v.x, v.y), order(v.z, v.w), order(v.x, v.z), order(v.y, v.w), order(v.y, v.z);
    data[thread_in_grid()] = v;
}
EXAMPLE(sort_fours) {
    const int n = pick(1 << 22, 1 << 14);
    const auto data = integers(n, 1 << 20);
    const auto expected = [=](std::size_t i) {
        int v[4];
        for (std::size_t k = 0; k < 4; ++k) v[k] = data.start(i / 4 * 4 + k);
        std::sort(v, v + 4);
        return v[i % 4];
    };
    return in_place([=] { sort_fours<<<n / 4 / 256, 256>>>(reinterpret_cast<int4*>(data.get())); },
                    data, expected);
}

// Computes medians of nine adjacent elements, by counting for each of the nine how many are smaller
// or equal.
__global__ void medians_of_nine(short* out, const short* in, int n) {
    const int i = thread_in_grid();
    if (i + 9 > n) return;
    short median = 0;
    for (int a = 0; a < 9; ++a) {
        int smaller = 0, equal = 0;
        for (int b = 0; b < 9; ++b) {
            smaller += in[i + b] < in[i + a];
            equal += in[i + b] == in[i + a];
        }
        if (smaller <= 4 && smaller + equal > 4) median = in[i + a];
    }
    out[i] = median;
}
EXAMPLE(medians_of_nine) {
    const int n = pick(1 << 20, 1 << 12);
    const auto in = integers<short>(n, 1000);
    const auto out = zeros<short>(n);
    const auto expected = [=](std::size_t i) {
        if (i + 9 > in.size()) return short{0};
        short v[9];
        for (std::size_t k = 0; k < 9; ++k) v[k] = in.start(i + k);
        std::sort(v, v + 9);
        return v[4];
    };
    return checked([=] { medians_of_nine<<<n / 256, 256>>>(out, in, n); }, out, expected);
}

// Finds the maximum of an array with a single warp.
__global__ void lone_warp_maximum(int* out, const int* in, int n) {
    int most = 0;
    for (int i = threadIdx.x; i < n; i += 32) most = max(most, in[i]);
    most = __reduce_max_sync(~0u, most);
    if (threadIdx.x == 0) *out = most;
}
EXAMPLE(lone_warp_maximum) {
    const int n = pick(8192, 512);
    const auto in = integers(n, 1 << 30), out = zeros<int>(1);
    return checked(
        [=] { lone_warp_maximum<<<1, 32>>>(out, in, n); }, out,
        [=](std::size_t) { return *std::max_element(in.start().begin(), in.start().end()); });
}

// Finds the largest squared magnitude among each warp's 64 complex numbers.
__global__ void longest_complex(float* out, const float4* in) {
    const float4 v = in[thread_in_grid()];
    float most = fmaxf(v.x * v.x + v.y * v.y, v.z * v.z + v.w * v.w);
    for (int step = 16; step > 0; step /= 2) most = fmaxf(most, __shfl_down_sync(~0u, most, step));
    if (threadIdx.x % 32 == 0) out[thread_in_grid() / 32] = most;
}
EXAMPLE(longest_complex) {
    const int n = pick(1 << 20, 1 << 12);
    const auto in = floats(4 * n), out = zeros<float>(n / 32);
    const auto expected = [=](std::size_t w) {
        float most = 0;
        for (std::size_t i = w * 64; i < w * 64 + 64; ++i)
            most = std::max(most, in.start(2 * i) * in.start(2 * i) +
                                      in.start(2 * i + 1) * in.start(2 * i + 1));
        return most;
    };
    return checked(
        [=] { longest_complex<<<n / 64, 64>>>(out, reinterpret_cast<float4*>(in.get())); }, out,
        expected, 1e-6);
}

// Sums contiguous rows of bytes, with one thread per row.
__global__ void sum_byte_rows(int* out, const unsigned char* in) {
    int sum = 0;
    for (int k = 0; k < 48; ++k) sum += in[thread_in_grid() * 48 + k];
    out[thread_in_grid()] = sum;
}
EXAMPLE(sum_byte_rows) {
    const int rows = pick(1 << 17, 1 << 10);
    const auto in = integers<unsigned char>(rows * 48, 256);
    const auto out = zeros<int>(rows);
    return checked([=] { sum_byte_rows<<<rows / 256, 256>>>(out, in); }, out,
                   [=](std::size_t r) { return stretch(in, r * 48, 48); });
}

// Partitions each block's words by their lowest bit, stably, through shared memory.
__global__ void split_by_bit(unsigned* data) {
    __shared__ unsigned s[512];
    __shared__ int warps[16];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    const unsigned key = data[thread_in_grid()];
    const unsigned ones = __ballot_sync(~0u, key & 1);
    if (lane == 0) warps[warp] = __popc(ones);
    __syncthreads();
    int before = __popc(ones & (1u << lane) - 1), all = 0;
    for (int w = 0; w < 16; ++w) {
        if (w < warp) before += warps[w];
        all += warps[w];
    }
    s[key & 1 ? 512 - all + before : t - before] = key;
    __syncthreads();
    data[thread_in_grid()] = s[t];
}
EXAMPLE(split_by_bit) {
    const int n = pick(1 << 21, 1 << 12);
    const auto data = filled(n, [](std::size_t i) { return noise(i); });
    std::vector<unsigned> split = data.start();
    for (auto at = split.begin(); at != split.end(); at += 512)
        std::stable_partition(at, at + 512, [](unsigned x) { return x % 2 == 0; });
    const auto shared = std::make_shared<std::vector<unsigned>>(std::move(split));
    return in_place([=] { split_by_bit<<<n / 512, 512>>>(data); }, data,
                    [=](std::size_t i) { return (*shared)[i]; });
}
