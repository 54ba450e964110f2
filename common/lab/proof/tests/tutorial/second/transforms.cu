// Transforms of signals.
#include "../checked.cuh"

using namespace tutorial;

// Performs a radix-4 FFT pass in global memory.
__global__ void fourier_pass_4(float2* out, const float2* in, int quarter, int length) {
    const int i = thread_in_grid(), within = i % length;
    float2 v[4];
    for (int k = 0; k < 4; ++k) {
        const float2 x = in[i + k * quarter];
        float s, c;
        __sincosf(-1.5707963f * k * within / length, &s, &c);
        v[k] = make_float2(x.x * c - x.y * s, x.x * s + x.y * c);
    }
    const float2 a = make_float2(v[0].x + v[2].x, v[0].y + v[2].y),
                 b = make_float2(v[0].x - v[2].x, v[0].y - v[2].y),
                 c = make_float2(v[1].x + v[3].x, v[1].y + v[3].y),
                 d = make_float2(v[1].y - v[3].y, v[3].x - v[1].x);
    float2* to = out + i / length * length * 4 + within;
    to[0] = make_float2(a.x + c.x, a.y + c.y);
    to[length] = make_float2(b.x + d.x, b.y + d.y);
    to[2 * length] = make_float2(a.x - c.x, a.y - c.y);
    to[3 * length] = make_float2(b.x - d.x, b.y - d.y);
}
EXAMPLE(fourier_pass_4) {
    const int n = pick(1 << 20, 1 << 13), quarter = n / 4, length = 256;
    const auto in = floats(2 * n), out = zeros<float>(2 * n);
    const auto expected = [=](std::size_t e) {
        const std::size_t at = e / 2, group = at / (4 * length), r = at / length % 4,
                          within = at % length, i = group * length + within;
        double re = 0, im = 0;
        for (std::size_t k = 0; k < 4; ++k) {
            const double angle = -1.5707963267949 * static_cast<double>(k) *
                                 (static_cast<double>(within) / length + static_cast<double>(r));
            const double x = in.start(2 * (i + k * quarter)),
                         y = in.start(2 * (i + k * quarter) + 1);
            re += x * std::cos(angle) - y * std::sin(angle);
            im += x * std::sin(angle) + y * std::cos(angle);
        }
        return e % 2 == 0 ? re : im;
    };
    return checked(
        [=] {
            fourier_pass_4<<<quarter / 128, 128>>>(reinterpret_cast<float2*>(out.get()),
                                                   reinterpret_cast<float2*>(in.get()), quarter,
                                                   length);
        },
        out, expected, 1e-3);
}

// Computes cosine transforms of 8 x 8 pixels in shared memory, four transforms per block.
__global__ void cosine_8x8(float* out, const float* in, const float* basis, int width) {
    __shared__ float b[8][8], s[8][33], half[8][33];
    const int x = threadIdx.x, y = threadIdx.y,
              i = (blockIdx.y * 8 + y) * width + blockIdx.x * 32 + x;
    if (x < 8) b[y][x] = basis[y * 8 + x];
    s[y][x] = in[i];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 8; ++k) sum += b[y][k] * s[k][x];
    half[y][x] = sum;
    __syncthreads();
    sum = 0;
    for (int k = 0; k < 8; ++k) sum += half[y][x / 8 * 8 + k] * b[x % 8][k];
    out[i] = sum;
}
EXAMPLE(cosine_8x8) {
    const int width = pick(2048, 128), height = pick(1024, 64);
    const auto in = floats(width * height), out = zeros<float>(width * height);
    const auto basis = filled(64, [](std::size_t i) {
        return static_cast<float>(std::cos((i % 8 + .5) * static_cast<double>(i / 8) * .39269908) /
                                  2);
    });
    const auto expected = [=](std::size_t i) {
        const std::size_t row = i / width, col = i % width;
        return sum_of(0, 64, [&](std::size_t k) {
            const std::size_t from = (row / 8 * 8 + k / 8) * width + col / 8 * 8 + k % 8;
            return basis.start(row % 8 * 8 + k / 8) * basis.start(col % 8 * 8 + k % 8) *
                   in.start(from);
        });
    };
    return checked(
        [=] { cosine_8x8<<<dim3(width / 32, height / 8), dim3(32, 8)>>>(out, in, basis, width); },
        out, expected, 1e-4);
}

// Computes the Walsh-Hadamard transform of 512 elements in shared memory.
__global__ void walsh(float* data) {
    __shared__ float s[512];
    const int t = threadIdx.x, first = blockIdx.x * 512;
    s[t] = data[first + t];
    s[t + 256] = data[first + t + 256];
    for (int step = 1; step < 512; step *= 2) {
        __syncthreads();
        const int a = 2 * t - (t & (step - 1));
        const float x = s[a], y = s[a + step];
        s[a] = x + y;
        s[a + step] = x - y;
    }
    __syncthreads();
    data[first + t] = s[t];
    data[first + t + 256] = s[t + 256];
}
EXAMPLE(walsh) {
    const int n = pick(1 << 21, 1 << 12);
    const auto data = floats(n);
    return in_place([=] { walsh<<<n / 512, 256>>>(data); }, data,
                    [=](std::size_t i) {
                        return sum_of(0, 512, [&](std::size_t k) {
                            const bool is_negative = __builtin_parityll(k & i % 512);
                            return data.start(i / 512 * 512 + k) * (is_negative ? -1 : 1);
                        });
                    },
                    1e-3, 4000);
}

// Computes the Haar transform of each group of 2 x 2 pixels. The results go to four planes.
__global__ void haar_2d(float* out, const float2* in, int half) {
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y,
              plane = half * half, i = y * half + x;
    const float2 a = in[2 * y * half + x], b = in[(2 * y + 1) * half + x];
    out[i] = .5f * (a.x + a.y + b.x + b.y);
    out[plane + i] = .5f * (a.x - a.y + b.x - b.y);
    out[2 * plane + i] = .5f * (a.x + a.y - b.x - b.y);
    out[3 * plane + i] = .5f * (a.x - a.y - b.x + b.y);
}
EXAMPLE(haar_2d) {
    const int half = pick(1024, 64), plane = half * half;
    const auto in = floats(4 * plane), out = zeros<float>(4 * plane);
    const auto expected = [=](std::size_t i) {
        const std::size_t kind = i / plane, x = i % half, y = i % plane / half,
                          at = 2 * y * 2 * half + 2 * x;
        const float sx = kind % 2 == 1 ? -1 : 1, sy = kind / 2 == 1 ? -1 : 1;
        return .5f * (in.start(at) + sx * in.start(at + 1) + sy * in.start(at + 2 * half) +
                      sx * sy * in.start(at + 2 * half + 1));
    };
    return checked(
        [=] {
            haar_2d<<<dim3(half / 32, half / 8), dim3(32, 8)>>>(
                out, reinterpret_cast<float2*>(in.get()), half);
        },
        out, expected, 1e-5);
}

// Computes the butterflies of a number-theoretic transform modulo 998244353.
__global__ void modular_butterflies(unsigned* out, const unsigned* in, const unsigned* roots,
                                    int half) {
    const unsigned prime = 998244353;
    const int i = thread_in_grid(), at = i / half * 2 * half + i % half;
    const unsigned x = in[at];
    const unsigned y = static_cast<unsigned long long>(in[at + half]) * roots[i % half] % prime;
    out[at] = x + y < prime ? x + y : x + y - prime;
    out[at + half] = x >= y ? x - y : x + prime - y;
}
EXAMPLE(modular_butterflies) {
    const int n = pick(1 << 21, 1 << 13), half = 1024;
    const auto in = integers<unsigned>(n, 998244353),
               roots = integers<unsigned>(half, 998244353, 2), out = zeros<unsigned>(n);
    const auto expected = [=](std::size_t i) {
        const std::size_t at = i / (2 * half) * 2 * half + i % half;
        const std::uint64_t prime = 998244353, x = in.start(at),
                            y = std::uint64_t{in.start(at + half)} * roots.start(i % half) % prime;
        return i % (2 * half) < half ? (x + y) % prime : (x + prime - y) % prime;
    };
    return checked([=] { modular_butterflies<<<n / 512, 256>>>(out, in, roots, half); }, out,
                   expected);
}

// Computes discrete Fourier transforms of sixteen points, one per thread, with a table of roots of
// unity.
__global__ void fourier_16(float2* out, const float2* in, const float2* roots, int n) {
    __shared__ float2 w[16];
    if (threadIdx.x < 16) w[threadIdx.x] = roots[threadIdx.x];
    __syncthreads();
    const int i = thread_in_grid();
    float2 v[16];
    for (int k = 0; k < 16; ++k) v[k] = in[k * n + i];
    for (int f = 0; f < 16; ++f) {
        float re = 0, im = 0;
        for (int k = 0; k < 16; ++k) {
            const float2 r = w[f * k % 16];
            re += v[k].x * r.x - v[k].y * r.y;
            im += v[k].x * r.y + v[k].y * r.x;
        }
        out[f * n + i] = make_float2(re, im);
    }
}
EXAMPLE(fourier_16) {
    const int n = pick(1 << 16, 1 << 10);
    const auto in = floats(32 * n), out = zeros<float>(32 * n);
    const auto angle = [](std::size_t k) { return -.39269908169872 * static_cast<double>(k); };
    const auto roots = filled(32, [=](std::size_t i) {
        return static_cast<float>(i % 2 == 0 ? std::cos(angle(i / 2)) : std::sin(angle(i / 2)));
    });
    const auto expected = [=](std::size_t e) {
        const std::size_t f = e / 2 / n, i = e / 2 % n;
        return sum_of(0, 16, [&](std::size_t k) {
            const double c = std::cos(angle(f * k)), s = std::sin(angle(f * k)),
                         x = in.start(2 * (k * n + i)), y = in.start(2 * (k * n + i) + 1);
            return e % 2 == 0 ? x * c - y * s : x * s + y * c;
        });
    };
    const auto two = [](const Buffer<float>& b) { return reinterpret_cast<float2*>(b.get()); };
    return checked([=] { fourier_16<<<n / 64, 64>>>(two(out), two(in), two(roots), n); }, out,
                   expected, 1e-3);
}

// Applies a 24-tap filter and keeps every fourth result.
__global__ void decimate(float* out, const float* in, const float* taps) {
    __shared__ float t[24];
    if (threadIdx.x < 24) t[threadIdx.x] = taps[threadIdx.x];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 24; ++k) sum += t[k] * in[4 * thread_in_grid() + k];
    out[thread_in_grid()] = sum;
}
EXAMPLE(decimate) {
    const int n = pick(1 << 19, 1 << 12);
    const auto in = floats(4 * n + 24, 1), taps = floats(24, 2), out = zeros<float>(n);
    const auto expected = [=](std::size_t i) {
        return sum_of(0, 24, [&](std::size_t k) { return taps.start(k) * in.start(4 * i + k); });
    };
    return checked([=] { decimate<<<n / 256, 256>>>(out, in, taps); }, out, expected, 1e-4);
}
