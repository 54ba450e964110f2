// Kernels limited by arithmetic, and small systems of linear equations.
#include "../checked.cuh"

using namespace tutorial;

// Computes gravitational forces in a plane, with 128 bodies at a time in shared memory.
__global__ void plane_forces(float2* out, const float2* body, int n) {
    __shared__ float2 s[128];
    const float2 own = body[thread_in_grid()];
    float fx = 0, fy = 0;
    for (int first = 0; first < n; first += 128) {
        __syncthreads();
        s[threadIdx.x] = body[first + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 128; ++k) {
            const float dx = s[k].x - own.x, dy = s[k].y - own.y,
                        r = rsqrtf(dx * dx + dy * dy + .01f);
            fx += dx * r * r * r;
            fy += dy * r * r * r;
        }
    }
    out[thread_in_grid()] = make_float2(fx, fy);
}
EXAMPLE(plane_forces) {
    const int n = pick(8192, 512);
    const auto body = floats(2 * n), out = zeros<float>(2 * n);
    const auto two = [](const Buffer<float>& b) { return reinterpret_cast<float2*>(b.get()); };
    const auto expected = [=](std::size_t i) {
        return sum_of(0, n, [&](std::size_t k) {
            const double d[] = {body.start(2 * k) - body.start(i / 2 * 2),
                                body.start(2 * k + 1) - body.start(i / 2 * 2 + 1)};
            return d[i % 2] / std::pow(d[0] * d[0] + d[1] * d[1] + .01, 1.5);
        });
    };
    return checked([=] { plane_forces<<<n / 128, 128>>>(two(out), two(body), n); }, out, expected,
                   5e-3, 500);
}

// Computes logarithms of the gamma function from a series, in floats.
__global__ void log_gammas(float* out, const float* in) {
    const float x = in[thread_in_grid()] + 8;
    const float r = 1 / x, r2 = r * r;
    out[thread_in_grid()] = (x - .5f) * logf(x) - x + .91893853f +
                            r * (.08333333f - r2 * (.00277778f - r2 * .00079365f));
}
EXAMPLE(log_gammas) {
    const int n = pick(1 << 21, 1 << 12);
    const auto in = floats(n), out = zeros<float>(n);
    return checked([=] { log_gammas<<<n / 256, 256>>>(out, in); }, out,
                   [=](std::size_t i) { return std::lgamma(in.start(i) + 8.0); }, 1e-4);
}

// Computes powers x^1.7 and arctangents.
__global__ void powers_and_angles(float2* out, const float2* in) {
    const float2 v = in[thread_in_grid()];
    out[thread_in_grid()] = make_float2(powf(v.x, 1.7f), atan2f(v.y, v.x));
}
EXAMPLE(powers_and_angles) {
    const int n = pick(1 << 20, 1 << 12);
    const auto in = floats(n), out = zeros<float>(n);
    const auto two = [](const Buffer<float>& b) { return reinterpret_cast<float2*>(b.get()); };
    return checked([=] { powers_and_angles<<<n / 2 / 128, 128>>>(two(out), two(in)); }, out,
                   [=](std::size_t i) {
                       const double x = in.start(i / 2 * 2), y = in.start(i / 2 * 2 + 1);
                       return i % 2 == 0 ? std::pow(x, 1.7) : std::atan2(y, x);
                   },
                   1e-5);
}

// Performs a hundred steps of the logistic map, with two chains per thread.
__global__ void logistic_maps(float2* data) {
    float2 v = data[thread_in_grid()];
    for (int k = 0; k < 100; ++k) {
        v.x = 2.9f * v.x * (1 - v.x);
        v.y = 2.8f * v.y * (1 - v.y);
    }
    data[thread_in_grid()] = v;
}
EXAMPLE(logistic_maps) {
    const int n = pick(1 << 20, 1 << 12);
    const auto data = floats(n);
    const auto expected = [=](std::size_t i) {
        double x = data.start(i);
        for (int k = 0; k < 100; ++k) x = (i % 2 == 0 ? 2.9 : 2.8) * x * (1 - x);
        return x;
    };
    return in_place([=] { logistic_maps<<<n / 512, 256>>>(reinterpret_cast<float2*>(data.get())); },
                    data, expected, 1e-3);
}

// Computes integer square roots bit by bit.
__global__ void integer_roots(unsigned* out, const unsigned* in) {
    const unsigned x = in[thread_in_grid()];
    unsigned root = 0;
    for (unsigned bit = 1u << 15; bit > 0; bit >>= 1)
        if ((root | bit) * (root | bit) <= x) root |= bit;
    out[thread_in_grid()] = root;
}
EXAMPLE(integer_roots) {
    const int n = pick(1 << 20, 1 << 12);
    const auto in = filled(n, [](std::size_t i) { return noise(i); });
    const auto out = zeros<unsigned>(n);
    return checked(
        [=] { integer_roots<<<n / 256, 256>>>(out, in); }, out,
        [=](std::size_t i) { return std::floor(std::sqrt(static_cast<double>(in.start(i)))); });
}

// Computes quotients and remainders.
__global__ void quotients(uint2* out, const uint2* in) {
    const uint2 v = in[thread_in_grid()];
    out[thread_in_grid()] = make_uint2(v.x / v.y, v.x % v.y);
}
EXAMPLE(quotients) {
    const int n = pick(1 << 20, 1 << 12);
    const auto in =
        filled(2 * n, [](std::size_t i) { return i % 2 == 0 ? noise(i) : noise(i) % 5000 + 1; });
    const auto out = zeros<unsigned>(2 * n);
    return checked(
        [=] {
            quotients<<<n / 128, 128>>>(reinterpret_cast<uint2*>(out.get()),
                                        reinterpret_cast<const uint2*>(in.get()));
        },
        out,
        [=](std::size_t i) {
            const unsigned a = in.start(i / 2 * 2), b = in.start(i / 2 * 2 + 1);
            return i % 2 == 0 ? a / b : a % b;
        });
}

// Computes the high halves of 64-bit products.
__global__ void high_products(unsigned long long* out, const unsigned long long* in) {
    unsigned long long x = in[thread_in_grid()];
    for (int k = 0; k < 16; ++k) x = __umul64hi(x, 0x9E3779B97F4A7C15ull) + (x << 7) + k;
    out[thread_in_grid()] = x >> 24;
}
EXAMPLE(high_products) {
    const int n = pick(1 << 19, 1 << 11);
    const auto in =
        filled(n, [](std::size_t i) { return std::uint64_t{noise(i)} << 32 | noise(i, 2); });
    std::vector<unsigned long long> start(in.start().begin(), in.start().end());
    const Buffer<unsigned long long> data(std::move(start));
    const auto out = zeros<unsigned long long>(n);
    return checked(
        [=] { high_products<<<n / 256, 256>>>(out, data); }, out,
        [=](std::size_t i) {
            std::uint64_t x = data.start(i);
            for (unsigned k = 0; k < 16; ++k)
                x = static_cast<std::uint64_t>(
                        static_cast<unsigned __int128>(x) * 0x9E3779B97F4A7C15ull >> 64) +
                    (x << 7) + k;
            return x >> 24;
        });
}

// Rotates points by quaternions.
__global__ void rotate_points(float4* out, const float4* point, const float4* rotation) {
    const float4 p = point[thread_in_grid()], q = rotation[thread_in_grid()];
    const float tx = 2 * (q.y * p.z - q.z * p.y), ty = 2 * (q.z * p.x - q.x * p.z),
                tz = 2 * (q.x * p.y - q.y * p.x);
    out[thread_in_grid()] =
        make_float4(p.x + q.w * tx + q.y * tz - q.z * ty, p.y + q.w * ty + q.z * tx - q.x * tz,
                    p.z + q.w * tz + q.x * ty - q.y * tx, p.w);
}
EXAMPLE(rotate_points) {
    const int n = pick(1 << 20, 1 << 12);
    const auto point = floats(4 * n, 1), rotation = floats(4 * n, 2), out = zeros<float>(4 * n);
    const auto four = [](const Buffer<float>& b) { return reinterpret_cast<float4*>(b.get()); };
    const auto expected = [=](std::size_t i) {
        const std::size_t a = i % 4, b = (a + 1) % 3, c = (a + 2) % 3, first = i / 4 * 4;
        const auto p = [&](std::size_t k) { return static_cast<double>(point.start(first + k)); };
        const auto q = [&](std::size_t k) {
            return static_cast<double>(rotation.start(first + k));
        };
        if (a == 3) return p(3);
        const auto t = [&](std::size_t k) {
            return 2 * (q((k + 1) % 3) * p((k + 2) % 3) - q((k + 2) % 3) * p((k + 1) % 3));
        };
        return p(a) + q(3) * t(a) + q(b) * t(c) - q(c) * t(b);
    };
    return checked([=] { rotate_points<<<n / 128, 128>>>(four(out), four(point), four(rotation)); },
                   out, expected, 1e-5);
}

// Inverts 3 x 3 matrices whose elements are in separate arrays.
__global__ void invert_threes(float* out, const float* in, int n) {
    const int i = thread_in_grid();
    float m[9];
    for (int k = 0; k < 9; ++k) m[k] = in[k * n + i];
    const float c0 = m[4] * m[8] - m[5] * m[7], c1 = m[5] * m[6] - m[3] * m[8],
                c2 = m[3] * m[7] - m[4] * m[6], d = 1 / (m[0] * c0 + m[1] * c1 + m[2] * c2);
    const float r[9] = {c0, m[2] * m[7] - m[1] * m[8], m[1] * m[5] - m[2] * m[4],
                        c1, m[0] * m[8] - m[2] * m[6], m[2] * m[3] - m[0] * m[5],
                        c2, m[1] * m[6] - m[0] * m[7], m[0] * m[4] - m[1] * m[3]};
    for (int k = 0; k < 9; ++k) out[k * n + i] = r[k] * d;
}
EXAMPLE(invert_threes) {
    const int n = pick(1 << 18, 1 << 11);
    const auto in = filled(9 * n, [=](std::size_t i) {
        return static_cast<float>(noise(i) % 256) / 256.0f + (i / n % 4 == 0 ? 3.0f : 0.0f);
    });
    const auto out = zeros<float>(9 * n);
    const auto check = [=] {
        const std::vector<float> inverse = out.read();
        return compare(
            in,
            [&](std::size_t e) {  // compares A * inverse(A) * A with A
                const std::size_t i = e % n, row = e / n / 3, col = e / n % 3;
                return sum_of(0, 9, [&](std::size_t k) {
                    return in.start((row * 3 + k / 3) * n + i) * inverse[k * n + i] *
                           in.start((k % 3 * 3 + col) * n + i);
                });
            },
            1e-3, 1 << 14);
    };
    return {[=] { invert_threes<<<n / 256, 256>>>(out, in, n); }, check};
}

// Solves lower triangular systems of 32 unknowns, with one warp per system. All systems have the
// same matrix.
__global__ void solve_triangles(float* out, const float* matrix, const float* right) {
    __shared__ float m[32][33];
    const int lane = threadIdx.x % 32;
    for (int k = threadIdx.x; k < 1024; k += 128) m[k / 32][k % 32] = matrix[k];
    __syncthreads();
    float x = right[thread_in_grid()];
    for (int k = 0; k < 32; ++k) {
        const float solved = __shfl_sync(~0u, x / m[k][k], k);
        if (lane == k) x = solved;
        if (lane > k) x -= m[lane][k] * solved;
    }
    out[thread_in_grid()] = x;
}
EXAMPLE(solve_triangles) {
    const int n = pick(1 << 19, 1 << 11);
    const auto matrix =
        filled(1024, [](std::size_t i) { return i % 33 == 0 ? 4.0f : noise(i) % 100 / 100.0f; });
    const auto right = floats(n), out = zeros<float>(n);
    const auto check = [=] {
        const std::vector<float> x = out.read();
        return compare(
            right,
            [&](std::size_t i) {
                return sum_of(0, i % 32 + 1, [&](std::size_t k) {
                    return matrix.start(i % 32 * 32 + k) * x[i / 32 * 32 + k];
                });
            },
            1e-4, 1 << 14);
    };
    return {[=] { solve_triangles<<<n / 128, 128>>>(out, matrix, right); }, check};
}

// Adds sixteen waves at each point, with a table of frequencies in shared memory.
__global__ void add_waves(float* out, const float2* waves, float step) {
    __shared__ float2 w[16];
    if (threadIdx.x < 16) w[threadIdx.x] = waves[threadIdx.x];
    __syncthreads();
    const float t = step * thread_in_grid();
    float sum = 0;
    for (int k = 0; k < 16; ++k) sum += w[k].x * __sinf(w[k].y * t);
    out[thread_in_grid()] = sum;
}
EXAMPLE(add_waves) {
    const int n = pick(1 << 20, 1 << 12);
    const auto waves = floats(32), out = zeros<float>(n);
    const float step = 6.0f / n;
    return checked(
        [=] { add_waves<<<n / 512, 512>>>(out, reinterpret_cast<float2*>(waves.get()), step); },
        out,
        [=](std::size_t i) {
            return sum_of(0, 16, [&](std::size_t k) {
                return waves.start(2 * k) * std::sin(waves.start(2 * k + 1) * step * i);
            });
        },
        1e-3);
}

// Estimates the volume below a surface from random points, with one sum per block.
__global__ void volume_by_chance(float* out, int rounds) {
    __shared__ float warps[8];
    unsigned state = thread_in_grid() * 2891336453u + 7;
    float sum = 0;
    for (int k = 0; k < rounds; ++k) {
        state ^= state << 13, state ^= state >> 17, state ^= state << 5;
        const float x = (state >> 16) / 65536.0f, y = (state & 65535) / 65536.0f;
        sum += x * x * y;
    }
    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; ++w) sum += warps[w];
        out[blockIdx.x] = sum / (256 * rounds);
    }
}
EXAMPLE(volume_by_chance) {
    const int blocks = pick(1056, 8), rounds = 128;
    const auto out = zeros<float>(blocks);
    return checked([=] { volume_by_chance<<<blocks, 256>>>(out, rounds); }, out,
                   [](std::size_t) { return 1 / 6.0; }, .02);
}
