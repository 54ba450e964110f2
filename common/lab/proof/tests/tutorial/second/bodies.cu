// Kernels that are limited by arithmetic: n-body, random numbers, special functions, integers.
#include "../checked.cuh"

using namespace tutorial;

// Computes electric potentials in doubles. Threads read the other charges from shared
// memory.
__global__ void potentials(double* out, const double4_16a* body, int n) {
    __shared__ double4_16a s[64];
    const double4_16a own = body[thread_in_grid()];
    double sum = 0;
    for (int first = 0; first < n; first += 64) {
        __syncthreads();
        s[threadIdx.x] = body[first + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 64; ++k) {
            const double dx = s[k].x - own.x, dy = s[k].y - own.y, dz = s[k].z - own.z;
            sum += s[k].w * rsqrt(dx * dx + dy * dy + dz * dz + .01);
        }
    }
    out[thread_in_grid()] = sum;
}
EXAMPLE(potentials) {
    const int n = pick(4096, 512);
    const auto body = doubles(4 * n), out = zeros<double>(n);
    const auto expected = [=](std::size_t i) {
        return sum_of(0, n, [&](std::size_t k) {
            double squares = .01;
            for (std::size_t d = 0; d < 3; ++d)
                squares += std::pow(body.start(4 * k + d) - body.start(4 * i + d), 2);
            return body.start(4 * k + 3) / std::sqrt(squares);
        });
    };
    return checked(
        [=] { potentials<<<n / 64, 64>>>(out, reinterpret_cast<double4_16a*>(body.get()), n); },
        out, expected, 1e-9, 1000);
}

// Computes the Lennard-Jones forces between each atom and its 32 neighbours.
__global__ void pair_forces(float4* out, const float4* atom, const int* neighbour, int n) {
    const int i = thread_in_grid();
    const float4 own = atom[i];
    float fx = 0, fy = 0, fz = 0;
    for (int k = 0; k < 32; ++k) {
        const float4 other = atom[neighbour[k * n + i]];
        const float dx = own.x - other.x, dy = own.y - other.y, dz = own.z - other.z;
        const float r2 = 1 / (dx * dx + dy * dy + dz * dz + 1), r6 = r2 * r2 * r2;
        const float f = r2 * r6 * (48 * r6 - 24);
        fx += f * dx, fy += f * dy, fz += f * dz;
    }
    out[i] = make_float4(fx, fy, fz, 0);
}
EXAMPLE(pair_forces) {
    const int n = pick(1 << 16, 1 << 11);
    const auto atom = floats(4 * n), out = zeros<float>(4 * n);
    const auto neighbour = filled(
        32 * n, [=](std::size_t i) { return static_cast<int>((i % n + 1 + noise(i) % 200) % n); });
    const auto expected = [=](std::size_t e) {
        const std::size_t i = e / 4;
        if (e % 4 == 3) return 0.0;
        return sum_of(0, 32, [&](std::size_t k) {
            double d[3], r2 = 1;
            for (std::size_t c = 0; c < 3; ++c) {
                d[c] = atom.start(4 * i + c) - atom.start(4 * neighbour.start(k * n + i) + c);
                r2 += d[c] * d[c];
            }
            const double r6 = 1 / (r2 * r2 * r2);
            return r6 / r2 * (48 * r6 - 24) * d[e % 4];
        });
    };
    return checked(
        [=] {
            pair_forces<<<n / 128, 128>>>(reinterpret_cast<float4*>(out.get()),
                                          reinterpret_cast<float4*>(atom.get()), neighbour, n);
        },
        out, expected, 1e-3);
}

// Computes random walks with a linear congruential generator.
__global__ void random_walks(int* out, int steps) {
    unsigned state = thread_in_grid() * 747796405u + 1;
    int place = 0;
    for (int k = 0; k < steps; ++k) {
        state = state * 1664525u + 1013904223u;
        place += state >> 31 ? 1 : -1;
    }
    out[thread_in_grid()] = place;
}
EXAMPLE(random_walks) {
    const int n = pick(1 << 17, 1 << 10), steps = 200;
    const auto out = zeros<int>(n);
    const auto expected = [=](std::size_t i) {
        unsigned state = static_cast<unsigned>(i) * 747796405u + 1;
        int place = 0;
        for (int k = 0; k < steps; ++k) {
            state = state * 1664525u + 1013904223u;
            place += state >> 31 ? 1 : -1;
        }
        return place;
    };
    return checked([=] { random_walks<<<n / 256, 256>>>(out, steps); }, out, expected);
}

// Generates normally distributed numbers from uniform ones (Box-Muller), with fast intrinsics.
__global__ void normal_numbers(float2* out, const float2* in) {
    const float2 u = in[thread_in_grid()];
    const float radius = sqrtf(-2 * __logf(u.x + 1e-7f)), angle = 6.2831853f * u.y;
    out[thread_in_grid()] = make_float2(radius * __cosf(angle), radius * __sinf(angle));
}
EXAMPLE(normal_numbers) {
    const int n = pick(1 << 22, 1 << 14);
    const auto in = floats(n), out = zeros<float>(n);
    const auto expected = [=](std::size_t i) {
        const double radius = std::sqrt(-2 * std::log(in.start(i / 2 * 2) + 1e-7)),
                     angle = 6.2831853 * in.start(i / 2 * 2 + 1);
        return radius * (i % 2 == 0 ? std::cos(angle) : std::sin(angle));
    };
    return checked(
        [=] {
            normal_numbers<<<n / 2 / 256, 256>>>(reinterpret_cast<float2*>(out.get()),
                                                 reinterpret_cast<float2*>(in.get()));
        },
        out, expected, 1e-3);
}

// Computes ten rounds of a counter-based random number generator that resembles Philox.
__global__ void counter_numbers(uint2* out) {
    unsigned a = thread_in_grid(), b = 0, key = 0xdecafbad;
    for (int round = 0; round < 10; ++round) {
        const unsigned high = __umulhi(0xD256D193u, a), low = 0xD256D193u * a;
        a = high ^ key ^ b;
        b = low;
        key += 0x9E3779B9u;
    }
    out[thread_in_grid()] = make_uint2(a, b);
}
EXAMPLE(counter_numbers) {
    const int n = pick(1 << 21, 1 << 13);
    const auto out = zeros<unsigned>(2 * n);
    const auto expected = [](std::size_t i) {
        unsigned a = static_cast<unsigned>(i / 2), b = 0, key = 0xdecafbad;
        for (int round = 0; round < 10; ++round) {
            const std::uint64_t product = std::uint64_t{0xD256D193u} * a;
            a = static_cast<unsigned>(product >> 32) ^ key ^ b;
            b = static_cast<unsigned>(product);
            key += 0x9E3779B9u;
        }
        return i % 2 == 0 ? a : b;
    };
    return checked([=] { counter_numbers<<<n / 128, 128>>>(reinterpret_cast<uint2*>(out.get())); },
                   out, expected);
}

// Prices options with a binomial tree of 128 steps, one block per option.
__global__ void binomial_options(float* out, const float* strike) {
    __shared__ float s[129];
    const int t = threadIdx.x;
    const auto payoff = [&](int k) {
        return fmaxf(0, exp2f(.02f * (2 * k - 128)) - strike[blockIdx.x]);
    };
    s[t] = payoff(t);
    if (t == 0) s[128] = payoff(128);
    for (int left = 128; left > 0; --left) {
        __syncthreads();
        const float value = t < left ? .4999f * (s[t] + s[t + 1]) : 0;
        __syncthreads();
        if (t < left) s[t] = value;
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
EXAMPLE(binomial_options) {
    const int n = pick(2048, 20);
    const auto strike = floats(n), out = zeros<float>(n);
    const auto expected = [=](std::size_t i) {
        double s[129];
        for (int k = 0; k <= 128; ++k)
            s[k] = std::max(0.0, std::exp2(.02 * (2 * k - 128)) - strike.start(i));
        for (int left = 128; left > 0; --left)
            for (int k = 0; k < left; ++k) s[k] = .4999 * (s[k] + s[k + 1]);
        return s[0];
    };
    return checked([=] { binomial_options<<<n, 128>>>(out, strike); }, out, expected, 1e-4);
}

// Computes Newton's fractal for z^3 = 1. The lanes of a warp need different iteration counts.
__global__ void newton_fractal(unsigned char* out, int side) {
    const int px = blockIdx.x * 16 + threadIdx.x, py = blockIdx.y * 8 + threadIdx.y;
    float x = 4.0f * px / side - 2, y = 4.0f * py / side - 2;
    int steps = 0;
    while (steps < 40) {
        const float x2 = x * x - y * y, y2 = 2 * x * y, d = 3 * (x2 * x2 + y2 * y2) + 1e-12f;
        const float fx = x2 * x - y2 * y - 1, fy = x2 * y + y2 * x;
        if (fx * fx + fy * fy < 1e-4f) break;
        x -= (fx * x2 + fy * y2) / d;
        y -= (fy * x2 - fx * y2) / d;
        ++steps;
    }
    out[py * side + px] = steps;
}
EXAMPLE(newton_fractal) {
    const int side = pick(1024, 64);
    const auto out = zeros<unsigned char>(side * side);
    const auto check = [=] {  // rounding changes some iteration counts, so compare the means
        double found = 0, expected = 0;
        const auto values = out.read();
        for (std::size_t i = 0; i < values.size(); ++i) {
            double x = 4.0 * (i % side) / side - 2, y = 4.0 * (i / side) / side - 2;
            int steps = 0;
            for (; steps < 40; ++steps) {
                const double x2 = x * x - y * y, y2 = 2 * x * y,
                             d = 3 * (x2 * x2 + y2 * y2) + 1e-12, fx = x2 * x - y2 * y - 1,
                             fy = x2 * y + y2 * x;
                if (fx * fx + fy * fy < 1e-4) break;
                x -= (fx * x2 + fy * y2) / d;
                y -= (fy * x2 - fx * y2) / d;
            }
            found += values[i];
            expected += steps;
        }
        return std::fabs(found - expected) < 1e-3 * expected ? "" : mismatch(0, expected, found);
    };
    return {[=] { newton_fractal<<<dim3(side / 16, side / 8), dim3(16, 8)>>>(out, side); }, check};
}

// Evaluates a polynomial of degree 32 for each element, in doubles, with Horner's method.
__global__ void long_polynomial(double* out, const double* in) {
    const double x = in[thread_in_grid()];
    double sum = 1;
    for (int k = 0; k < 32; ++k) sum = sum * x + (k % 3 - 1);
    out[thread_in_grid()] = sum;
}
EXAMPLE(long_polynomial) {
    const int n = pick(1 << 20, 1 << 13);
    const auto in = doubles(n), out = zeros<double>(n);
    const auto expected = [=](std::size_t i) {
        double sum = 1;
        for (int k = 0; k < 32; ++k) sum = sum * in.start(i) + (k % 3 - 1);
        return sum;
    };
    return checked([=] { long_polynomial<<<n / 256, 256>>>(out, in); }, out, expected, 1e-9);
}

// Computes powers modulo a prime, with 64-bit remainders.
__global__ void powers_modulo(unsigned* out, const unsigned* in) {
    const unsigned long long prime = 1000000007;
    unsigned long long base = in[thread_in_grid()], result = 1;
    for (unsigned e = 0xB5A3; e > 0; e >>= 1) {
        if (e & 1) result = result * base % prime;
        base = base * base % prime;
    }
    out[thread_in_grid()] = static_cast<unsigned>(result);
}
EXAMPLE(powers_modulo) {
    const int n = pick(1 << 18, 1 << 11);
    const auto in = integers<unsigned>(n, 1000000007);
    const auto out = zeros<unsigned>(n);
    const auto expected = [=](std::size_t i) {
        std::uint64_t base = in.start(i), result = 1;
        for (unsigned e = 0xB5A3; e > 0; e >>= 1) {
            if (e & 1) result = result * base % 1000000007;
            base = base * base % 1000000007;
        }
        return result;
    };
    return checked([=] { powers_modulo<<<n / 128, 128>>>(out, in); }, out, expected);
}

// Performs twenty rounds of additions, rotations and xors on four words, as in ChaCha.
__global__ void mix_words(uint4* data) {
    uint4 v = data[thread_in_grid()];
    const auto rotated = [](unsigned x, int by) { return __funnelshift_l(x, x, by); };
    for (int round = 0; round < 20; ++round) {
        v.x += v.y, v.w = rotated(v.w ^ v.x, 16), v.z += v.w, v.y = rotated(v.y ^ v.z, 12);
        v.x += v.y, v.w = rotated(v.w ^ v.x, 8), v.z += v.w, v.y = rotated(v.y ^ v.z, 7);
    }
    data[thread_in_grid()] = v;
}
EXAMPLE(mix_words) {
    const int n = pick(1 << 21, 1 << 13);
    const auto data = filled(n, [](std::size_t i) { return noise(i); });
    const auto expected = [=](std::size_t i) {
        unsigned v[4];
        for (std::size_t k = 0; k < 4; ++k) v[k] = data.start(i / 4 * 4 + k);
        const auto step = [&](int a, int b, int c, int by) {
            v[a] += v[b];
            v[c] ^= v[a];
            v[c] = v[c] << by | v[c] >> (32 - by);
        };
        for (int round = 0; round < 20; ++round)
            step(0, 1, 3, 16), step(2, 3, 1, 12), step(0, 1, 3, 8), step(2, 3, 1, 7);
        return v[i % 4];
    };
    return in_place([=] { mix_words<<<n / 4 / 256, 256>>>(reinterpret_cast<uint4*>(data.get())); },
                    data, expected);
}

// Finds the first of 64 spheres that each ray hits. The spheres are in shared memory.
__global__ void trace_rays(float* out, const float4* sphere, int side) {
    __shared__ float4 s[64];
    const int t = threadIdx.y * 16 + threadIdx.x;
    if (t < 64) s[t] = sphere[t];
    __syncthreads();
    const int px = blockIdx.x * 16 + threadIdx.x, py = blockIdx.y * 16 + threadIdx.y;
    const float x = (px + .5f) / side, y = (py + .5f) / side;
    float nearest = 10;
    for (int k = 0; k < 64; ++k) {
        const float dx = x - s[k].x, dy = y - s[k].y, depth = .01f * s[k].w - dx * dx - dy * dy;
        if (depth > 0) nearest = fminf(nearest, s[k].z - sqrtf(depth));
    }
    out[py * side + px] = nearest;
}
EXAMPLE(trace_rays) {
    const int side = pick(1024, 64);
    const auto sphere = floats(256), out = zeros<float>(side * side);
    const auto expected = [=](std::size_t i) {
        const float x = (i % side + .5f) / side, y = (i / side + .5f) / side;
        float nearest = 10;
        for (std::size_t k = 0; k < 256; k += 4) {
            const float dx = x - sphere.start(k), dy = y - sphere.start(k + 1),
                        depth = .01f * sphere.start(k + 3) - dx * dx - dy * dy;
            if (depth > 0) nearest = std::min(nearest, sphere.start(k + 2) - std::sqrt(depth));
        }
        return nearest;
    };
    return checked(
        [=] {
            trace_rays<<<dim3(side / 16, side / 16), dim3(16, 16)>>>(
                out, reinterpret_cast<float4*>(sphere.get()), side);
        },
        out, expected, 2e-2);
}

// Computes sines and cosines with the accurate library function.
__global__ void sines_and_cosines(float2* out, const float* in) {
    float s, c;
    sincosf(6 * in[thread_in_grid()], &s, &c);
    out[thread_in_grid()] = make_float2(s, c);
}
EXAMPLE(sines_and_cosines) {
    const int n = pick(1 << 20, 1 << 13);
    const auto in = floats(n), out = zeros<float>(2 * n);
    return checked(
        [=] { sines_and_cosines<<<n / 256, 256>>>(reinterpret_cast<float2*>(out.get()), in); }, out,
        [=](std::size_t i) {
            const double x = 6 * in.start(i / 2);
            return i % 2 == 0 ? std::sin(x) : std::cos(x);
        },
        1e-5);
}

// Computes Fibonacci numbers modulo 2^64, in a loop with a fixed number of iterations.
__global__ void fibonacci(unsigned long long* out) {
    unsigned long long a = 0, b = thread_in_grid() + 1;
    for (int k = 0; k < 90; ++k) {
        const unsigned long long next = a + b;
        a = b;
        b = next;
    }
    out[thread_in_grid()] = a >> 20;
}
EXAMPLE(fibonacci) {
    const int n = pick(1 << 19, 1 << 12);
    const auto out = zeros<unsigned long long>(n);
    const auto expected = [](std::size_t i) {
        std::uint64_t a = 0, b = i + 1;
        for (int k = 0; k < 90; ++k) {
            const std::uint64_t next = a + b;
            a = b;
            b = next;
        }
        return a >> 20;
    };
    return checked([=] { fibonacci<<<n / 512, 512>>>(out); }, out, expected);
}

// Computes 64 points of each cubic curve from the curve's four control points.
__global__ void curve_points(float2* out, const float2* corner) {
    const int curve = blockIdx.x;
    const float t = threadIdx.x / 63.0f, u = 1 - t;
    const float a = u * u * u, b = 3 * u * u * t, c = 3 * u * t * t, d = t * t * t;
    const float2 p = corner[curve * 4], q = corner[curve * 4 + 1], r = corner[curve * 4 + 2],
                 s = corner[curve * 4 + 3];
    out[curve * 64 + threadIdx.x] =
        make_float2(a * p.x + b * q.x + c * r.x + d * s.x, a * p.y + b * q.y + c * r.y + d * s.y);
}
EXAMPLE(curve_points) {
    const int curves = pick(16384, 64);
    const auto corner = floats(8 * curves), out = zeros<float>(128 * curves);
    const auto expected = [=](std::size_t i) {
        const double t = i / 2 % 64 / 63.0, u = 1 - t;
        const auto at = [&](std::size_t k) { return corner.start(i / 128 * 8 + 2 * k + i % 2); };
        return u * u * u * at(0) + 3 * u * u * t * at(1) + 3 * u * t * t * at(2) +
               t * t * t * at(3);
    };
    return checked(
        [=] {
            curve_points<<<curves, 64>>>(reinterpret_cast<float2*>(out.get()),
                                         reinterpret_cast<float2*>(corner.get()));
        },
        out, expected, 1e-5);
}
