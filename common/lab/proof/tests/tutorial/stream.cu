// Streaming kernels, which read and write every element once, with various access widths.
#include <cuda_fp16.h>

#include "tutorial.h"

using namespace tutorial;

namespace {

constexpr int kThreads = 256;

int length() {
    return pick(1 << 23, 1 << 17);
}

/// Returns an example that runs kernel(out, in, n) with one thread per `per_thread` elements.
template <class T, class Kernel, class F>
Example map_of(Kernel kernel, const Buffer<T>& in, int per_thread, F expected,
               double tolerance = 0) {
    const int n = static_cast<int>(in.size());
    using Out = std::decay_t<decltype(expected(T{}))>;
    const Buffer<Out> out = zeros<Out>(in.size());
    return {[=] {
                kernel<<<blocks_for(in.size() / per_thread, kThreads), kThreads>>>(out.get(),
                                                                                   in.get(), n);
            },
            [=] {
                return compare(
                    out, [&](std::size_t i) { return expected(in.start(i)); }, tolerance);
            }};
}

constexpr auto kSame = [](auto value) { return value; };

/// Returns an example that runs kernel(y, x, a, n), which computes y = a * x + y.
template <class T, class Kernel>
Example axpy(Kernel kernel, int blocks, const Buffer<T>& x, const Buffer<T>& y) {
    const int n = static_cast<int>(x.size());
    const auto value = [=](std::size_t i) { return T(2) * x.start(i) + y.start(i); };
    return {[=] { kernel<<<blocks, kThreads>>>(y.get(), x.get(), T(2), n); },
            [=] { return compare(y, value, 1e-6); }, [=] { y.restore(); }};
}

}  // namespace

__global__ void copy_floats(float* out, const float* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i];
}
EXAMPLE(copy_floats) {
    return map_of(copy_floats, floats(length()), 1, kSame);
}

__global__ void copy_float2(float* out, const float* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 2) reinterpret_cast<float2*>(out)[i] = reinterpret_cast<const float2*>(in)[i];
}
EXAMPLE(copy_float2) {
    return map_of(copy_float2, floats(2 * length()), 2, kSame);
}

__global__ void copy_float4(float* out, const float* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4) reinterpret_cast<float4*>(out)[i] = reinterpret_cast<const float4*>(in)[i];
}
EXAMPLE(copy_float4) {
    return map_of(copy_float4, floats(2 * length()), 4, kSame);
}

__global__ void copy_bytes(unsigned char* out, const unsigned char* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i];
}
EXAMPLE(copy_bytes) {
    return map_of(copy_bytes, integers<unsigned char>(2 * length(), 256), 1, kSame);
}

__global__ void copy_halves(half* out, const half* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i];
}
EXAMPLE(copy_halves) {
    const auto in = filled(
        2 * length(), [](std::size_t i) { return __float2half(static_cast<float>(i % 1000)); });
    return map_of(copy_halves, in, 1, kSame);
}

// Copies in a grid-stride loop.
__global__ void copy_grid_stride(float* out, const float* in, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = in[i];
}
EXAMPLE(copy_grid_stride) {
    return map_of(copy_grid_stride, floats(2 * length()), 16, kSame);
}

// Makes four loads per thread before the first store.
__global__ void copy_four_at_once(float* out, const float* in, int) {
    const int i = blockIdx.x * kThreads * 4 + threadIdx.x;
    const float a = in[i], b = in[i + kThreads], c = in[i + 2 * kThreads], d = in[i + 3 * kThreads];
    out[i] = a;
    out[i + kThreads] = b;
    out[i + 2 * kThreads] = c;
    out[i + 3 * kThreads] = d;
}
EXAMPLE(copy_four_at_once) {
    return map_of(copy_four_at_once, floats(2 * length()), 4, kSame);
}

// Copies four adjacent elements per thread, one after another.
__global__ void copy_four_neighbours(float* out, const float* in, int n) {
    const int first = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    for (int k = 0; k < 4; ++k)
        if (first + k < n) out[first + k] = in[first + k];
}
EXAMPLE(copy_four_neighbours) {
    return map_of(copy_four_neighbours, floats(length()), 4, kSame);
}

// Copies with blocks of one warp.
__global__ void copy_small_blocks(float* out, const float* in) {
    const int i = blockIdx.x * 32 + threadIdx.x;
    out[i] = in[i];
}
EXAMPLE(copy_small_blocks) {
    const int n = pick(1 << 22, 1 << 16);
    const Buffer<float> in = floats(n), out = zeros<float>(n);
    return {[=] { copy_small_blocks<<<n / 32, 32>>>(out, in); },
            [=] { return compare(out, [&](std::size_t i) { return in.start(i); }); }};
}

__global__ void fill_value(float* out, float value, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = value;
}
EXAMPLE(fill_value) {
    const int n = pick(1 << 24, 1 << 17);
    const Buffer<float> out = zeros<float>(n);
    return {[=] { fill_value<<<n / kThreads, kThreads>>>(out, 1.5f, n); },
            [=] { return compare(out, [](std::size_t) { return 1.5; }); }};
}

__global__ void number_elements(int* out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = i;
}
EXAMPLE(number_elements) {
    const int n = pick(1 << 24, 1 << 17);
    const Buffer<int> out = zeros<int>(n);
    return {[=] { number_elements<<<pick(2112, 66), kThreads>>>(out, n); },
            [=] { return compare(out, [](std::size_t i) { return i; }); }};
}

// Adds two vectors, as the first kernel of most courses does.
__global__ void vector_add(float* c, const float* a, const float* b, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
EXAMPLE(vector_add) {
    const int n = pick(10'000'000, 100'000);
    const Buffer<float> a = floats(n), b = floats(n, 2), c = zeros<float>(n);
    return {[=] { vector_add<<<blocks_for(n, kThreads), kThreads>>>(c, a, b, n); },
            [=] { return compare(c, [&](std::size_t i) { return a.start(i) + b.start(i); }); }};
}

// Adds two vectors with three times as many threads as needed. The excess threads exit early.
__global__ void vector_add_early_exit(float* c, const float* a, const float* b, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    c[i] = a[i] + b[i];
}
EXAMPLE(vector_add_early_exit) {
    const int n = pick(3'000'001, 30'001);
    const Buffer<float> a = floats(n), b = floats(n, 2), c = zeros<float>(n);
    return {[=] { vector_add_early_exit<<<3 * blocks_for(n, 1024), 1024>>>(c, a, b, n); },
            [=] { return compare(c, [&](std::size_t i) { return a.start(i) + b.start(i); }); }};
}

// Adds two vectors with a few blocks that loop over the data, as was usual on older GPUs.
__global__ void vector_add_few_blocks(float* c, const float* a, const float* b, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        c[i] = a[i] + b[i];
}
EXAMPLE(vector_add_few_blocks) {
    const int n = pick(1 << 20, 1 << 15);
    const Buffer<float> a = floats(n), b = floats(n, 2), c = zeros<float>(n);
    return {[=] { vector_add_few_blocks<<<16, kThreads>>>(c, a, b, n); },
            [=] { return compare(c, [&](std::size_t i) { return a.start(i) + b.start(i); }); }};
}

__global__ void saxpy(float* y, const float* x, float a, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
EXAMPLE(saxpy) {
    return axpy(saxpy, length() / kThreads, floats(length()), floats(length(), 2));
}

__global__ void saxpy_float4(float* y, const float* x, float a, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n / 4) return;
    const float4 u = reinterpret_cast<const float4*>(x)[i];
    float4 v = reinterpret_cast<float4*>(y)[i];
    v.x += a * u.x;
    v.y += a * u.y;
    v.z += a * u.z;
    v.w += a * u.w;
    reinterpret_cast<float4*>(y)[i] = v;
}
EXAMPLE(saxpy_float4) {
    return axpy(saxpy_float4, length() / 4 / kThreads, floats(length()), floats(length(), 2));
}

__global__ void saxpy_grid_stride(float* y, const float* x, float a, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        y[i] = a * x[i] + y[i];
}
EXAMPLE(saxpy_grid_stride) {
    return axpy(saxpy_grid_stride, pick(32 * 132, 64), floats(length()), floats(length(), 2));
}

__global__ void saxpy_restrict_unrolled(float* __restrict__ y, const float* __restrict__ x, float a,
                                        int n) {
    const int first = blockIdx.x * blockDim.x * 4 + threadIdx.x;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        const int i = first + k * blockDim.x;
        if (i < n) y[i] = a * x[i] + y[i];
    }
}
EXAMPLE(saxpy_restrict_unrolled) {
    return axpy(saxpy_restrict_unrolled, length() / 4 / kThreads, floats(length()),
                floats(length(), 2));
}

__global__ void daxpy(double* y, const double* x, double a, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
EXAMPLE(daxpy) {
    return axpy(daxpy, length() / 2 / kThreads, doubles(length() / 2), doubles(length() / 2, 2));
}

__global__ void triad(float* a, const float* b, const float* c, float scale, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = b[i] + scale * c[i];
}
EXAMPLE(triad) {
    const int n = length();
    const Buffer<float> a = zeros<float>(n), b = floats(n), c = floats(n, 2);
    return {[=] { triad<<<n / kThreads, kThreads>>>(a, b, c, 3.0f, n); },
            [=] {
                return compare(
                    a, [&](std::size_t i) { return b.start(i) + 3 * c.start(i); }, 1e-6);
            }};
}

// Processes two halves per instruction.
__global__ void haxpy2(half2* y, const half2* x, half2 a, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = __hfma2(a, x[i], y[i]);
}
EXAMPLE(haxpy2) {
    const int n = length();
    const auto small = [](std::size_t i, unsigned seed) {
        return __float2half2_rn(static_cast<float>(noise(i, seed) % 32));
    };
    const auto x = filled(n, [=](std::size_t i) { return small(i, 1); });
    const auto y = filled(n, [=](std::size_t i) { return small(i, 2); });
    const auto low = [](half2 pair) { return __low2float(pair); };
    return {[=] { haxpy2<<<n / kThreads, kThreads>>>(y, x, __float2half2_rn(2), n); },
            [=] {
                std::vector<float> values;
                for (const half2& pair : y.read()) values.push_back(low(pair));
                return compare(
                    values, [&](std::size_t i) { return 2 * low(x.start(i)) + low(y.start(i)); });
            },
            [=] { y.restore(); }};
}

__global__ void bytes_to_floats(float* out, const unsigned char* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * (1.0f / 255);
}
EXAMPLE(bytes_to_floats) {
    return map_of(
        bytes_to_floats, integers<unsigned char>(length(), 256), 1,
        [](unsigned char v) { return v * (1.0f / 255); }, 1e-6);
}

__global__ void floats_to_halves(half* out, const float* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = __float2half(in[i]);
}
EXAMPLE(floats_to_halves) {
    return map_of(floats_to_halves, floats(length()), 1, [](float v) { return __float2half(v); });
}

// Encrypts four bytes at a time with a simple cipher.
__global__ void encrypt_words(unsigned* out, const unsigned* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] ^ 0x5bd1e995u;
}
EXAMPLE(encrypt_words) {
    return map_of(encrypt_words, integers<unsigned>(length(), 0xffffffffu), 1,
                  [](unsigned v) { return v ^ 0x5bd1e995u; });
}

__global__ void clamp_values(float* out, const float* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = fminf(fmaxf(in[i], 0.25f), 0.75f);
}
EXAMPLE(clamp_values) {
    return map_of(clamp_values, floats(length()), 1,
                  [](float v) { return std::clamp(v, 0.25f, 0.75f); });
}

__global__ void add_bytes(unsigned char* c, const unsigned char* a, const unsigned char* b, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = static_cast<unsigned char>(a[i] + b[i]);
}
EXAMPLE(add_bytes) {
    const int n = 2 * length();
    const auto a = integers<unsigned char>(n, 256), b = integers<unsigned char>(n, 256, 2),
               c = zeros<unsigned char>(n);
    return {
        [=] { add_bytes<<<n / kThreads, kThreads>>>(c, a, b, n); },
        [=] { return compare(c, [&](std::size_t i) { return (a.start(i) + b.start(i)) & 255; }); }};
}

__global__ void add_char4(uchar4* c, const uchar4* a, const uchar4* b, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const uchar4 u = a[i], v = b[i];
    c[i] = make_uchar4(u.x + v.x, u.y + v.y, u.z + v.z, u.w + v.w);
}
EXAMPLE(add_char4) {
    const int n = length();
    const auto bytes = [](std::size_t i, unsigned seed) {
        const unsigned word = noise(i, seed);
        return make_uchar4(word & 255, word >> 8 & 255, word >> 16 & 255, word >> 24);
    };
    const auto a = filled(n, [=](std::size_t i) { return bytes(i, 1); }),
               b = filled(n, [=](std::size_t i) { return bytes(i, 2); });
    const auto c = zeros<uchar4>(n);
    return {[=] { add_char4<<<n / kThreads, kThreads>>>(c, a, b, n); },
            [=] {
                std::vector<int> third;
                for (const uchar4 v : c.read()) third.push_back(v.z);
                return compare(third,
                               [&](std::size_t i) { return (a.start(i).z + b.start(i).z) & 255; });
            }};
}

// Swaps two arrays.
__global__ void swap_arrays(float* a, float* b, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float kept = a[i];
    a[i] = b[i];
    b[i] = kept;
}
EXAMPLE(swap_arrays) {
    const int n = length();
    const Buffer<float> a = floats(n), b = floats(n, 2);
    return {[=] { swap_arrays<<<n / kThreads, kThreads>>>(a, b, n); },
            [=] { return compare(a, [&](std::size_t i) { return b.start(i); }); },
            [=] {
                a.restore();
                b.restore();
            }};
}

// Reverses an array.
__global__ void reverse_array(float* out, const float* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[n - 1 - i] = in[i];
}
EXAMPLE(reverse_array) {
    const int n = length();
    const Buffer<float> in = floats(n), out = zeros<float>(n);
    return {
        [=] { reverse_array<<<n / kThreads, kThreads>>>(out, in, n); },
        [=] { return compare(out, [&](std::size_t i) { return in.start(in.size() - 1 - i); }); }};
}

// Copies from and to an address that is not aligned to a sector.
__global__ void copy_with_offset(float* out, const float* in, int offset) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x + offset;
    out[i] = in[i];
}
EXAMPLE(copy_with_offset) {
    const int n = length(), offset = 11;
    const Buffer<float> in = floats(n + 32), out = zeros<float>(n + 32);
    return {[=] { copy_with_offset<<<n / kThreads, kThreads>>>(out, in, offset); },
            [=] {
                return compare(out, [&](std::size_t i) {
                    return i >= 11 && i < static_cast<std::size_t>(n) + 11 ? in.start(i) : 0.0f;
                });
            }};
}
