// Kernels limited by arithmetic: n-body problems, random numbers, fractals, expensive functions.
// Long: many small kernels on one theme, each with an example that checks it.
#include "tutorial.h"

using namespace tutorial;

namespace {

constexpr int kThreads = 256;

float4 body(std::size_t i) {
    const auto value = [=](unsigned k) { return static_cast<float>(noise(i, k) % 1000) / 100; };
    return make_float4(value(1), value(2), value(3), 1 + value(4));
}

/// Returns the x component of the force that `n` bodies exert on body `i`.
double force_on(std::size_t i, std::size_t n) {
    const float4 p = body(i);
    return sum_of(0, n, [&](std::size_t k) {
        const float4 q = body(k);
        const double dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z,
                     d2 = dx * dx + dy * dy + dz * dz + 0.01;
        return q.w * dx / (d2 * std::sqrt(d2));
    });
}

/// Creates an example that launches kernel(forces, bodies, n).
template <class Kernel>
Example all_pairs(Kernel kernel, int threads) {
    const int n = pick(8192, 512);
    const auto bodies = filled(n, body), forces = zeros<float4>(n);
    return {[=] { kernel<<<n / threads, threads>>>(forces.get(), bodies.get(), n); },
            [=] {
                std::vector<float> xs;
                for (const float4& f : forces.read()) xs.push_back(f.x);
                return compare(
                    xs, [=](std::size_t i) { return force_on(i, static_cast<std::size_t>(n)); },
                    2e-3, 100);
            }};
}

__device__ float3 pull(float3 sum, float4 p, float4 q) {
    const float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z;
    const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f),
                scale = q.w * inverse * inverse * inverse;
    return make_float3(sum.x + dx * scale, sum.y + dy * scale, sum.z + dz * scale);
}

/// Creates an example that launches kernel(out, in, n), which maps each element independently.
template <class T, class Kernel, class F>
Example map_of(Kernel kernel, const Buffer<T>& in, F expected, double tolerance = 0,
               std::size_t samples = 1 << 16) {
    const int n = static_cast<int>(in.size());
    using Out = std::decay_t<decltype(expected(T{}))>;
    const Buffer<Out> out = zeros<Out>(in.size());
    return {[=] { kernel<<<blocks_for(in.size(), kThreads), kThreads>>>(out.get(), in.get(), n); },
            [=] {
                return compare(
                    out, [&](std::size_t i) { return expected(in.start(i)); }, tolerance, samples);
            }};
}

}  // namespace

// Computes the forces between all pairs of bodies, reading from global memory.
__global__ void nbody_naive(float4* forces, const float4* bodies, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 p = bodies[i];
    float3 sum = make_float3(0, 0, 0);
    for (int k = 0; k < n; ++k) sum = pull(sum, p, bodies[k]);
    forces[i] = make_float4(sum.x, sum.y, sum.z, 0);
}
EXAMPLE(nbody_naive) {
    return all_pairs(nbody_naive, 128);
}

// Loads the bodies into shared memory, one tile at a time.
__global__ void nbody_tiled(float4* forces, const float4* bodies, int n) {
    __shared__ float4 tile[64];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 p = bodies[i];
    float3 sum = make_float3(0, 0, 0);
    for (int first = 0; first < n; first += 64) {
        tile[threadIdx.x] = bodies[first + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 64; ++k) sum = pull(sum, p, tile[k]);
        __syncthreads();
    }
    forces[i] = make_float4(sum.x, sum.y, sum.z, 0);
}
EXAMPLE(nbody_tiled) {
    return all_pairs(nbody_tiled, 64);
}

// Computes the forces with larger tiles and a manually unrolled loop.
__global__ void nbody_unrolled(float4* forces, const float4* bodies, int n) {
    __shared__ float4 tile[256];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 p = bodies[i];
    float3 sum = make_float3(0, 0, 0);
    for (int first = 0; first < n; first += 256) {
        tile[threadIdx.x] = bodies[first + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < 256; ++k) sum = pull(sum, p, tile[k]);
        __syncthreads();
    }
    forces[i] = make_float4(sum.x, sum.y, sum.z, 0);
}
EXAMPLE(nbody_unrolled) {
    return all_pairs(nbody_unrolled, 256);
}

// The atoms whose potential `coulomb_plane` computes at the points of a plane.
__constant__ float4 atoms[256];
__global__ void coulomb_plane(float* out, int side) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const float px = x * 0.1f, py = y * 0.1f;
    float sum = 0;
    for (int k = 0; k < 256; ++k) {
        const float4 a = atoms[k];
        const float dx = px - a.x, dy = py - a.y;
        sum += a.w * rsqrtf(dx * dx + dy * dy + a.z * a.z + 0.01f);
    }
    out[y * side + x] = sum;
}
EXAMPLE(coulomb_plane) {
    float4 chosen[256];
    for (std::size_t k = 0; k < 256; ++k) chosen[k] = body(k);
    require(cudaMemcpyToSymbol(atoms, chosen, sizeof chosen));
    const int side = pick(1024, 64);
    const Buffer<float> out = zeros<float>(side * side);
    const auto expected = [=](std::size_t i) {
        const double px = 0.1 * static_cast<double>(i % side),
                     py = 0.1 * static_cast<double>(i / side);
        return sum_of(0, 256, [&](std::size_t k) {
            const float4 a = body(k);
            const double dx = px - a.x, dy = py - a.y;
            return a.w / std::sqrt(dx * dx + dy * dy + a.z * a.z + 0.01);
        });
    };
    const dim3 grid(static_cast<unsigned>(side / 32), static_cast<unsigned>(side / 8));
    return {[=] { coulomb_plane<<<grid, dim3(32, 8)>>>(out, side); },
            [=] { return compare(out, expected, 1e-4, 3000); }};
}

// Computes the distances between all pairs of points in eight dimensions.
__global__ void pairwise_distances(float* out, const float* points, int n) {
    const int a = blockIdx.y * blockDim.y + threadIdx.y, b = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        const float d = points[a * 8 + k] - points[b * 8 + k];
        sum += d * d;
    }
    out[a * n + b] = sqrtf(sum);
}
EXAMPLE(pairwise_distances) {
    const int n = pick(2048, 128);
    const Buffer<float> points = floats(n * 8), out = zeros<float>(n * n);
    const auto expected = [=](std::size_t i) {
        const std::size_t a = i / static_cast<std::size_t>(n), b = i % static_cast<std::size_t>(n);
        return std::sqrt(sum_of(0, 8, [&](std::size_t k) {
            const float d = points.start(a * 8 + k) - points.start(b * 8 + k);
            return d * d;
        }));
    };
    const dim3 grid(static_cast<unsigned>(n / 32), static_cast<unsigned>(n / 8));
    return {[=] { pairwise_distances<<<grid, dim3(32, 8)>>>(out, points, n); },
            [=] { return compare(out, expected, 1e-4); }};
}

namespace {

__host__ __device__ unsigned next_random(unsigned& state) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

int hits_of(unsigned seed, int tries) {
    unsigned state = seed * 2654435761u + 1;
    int hits = 0;
    for (int k = 0; k < tries; ++k) {
        const float x = static_cast<float>(next_random(state) >> 8) * (1.0f / 16777216);
        const float y = static_cast<float>(next_random(state) >> 8) * (1.0f / 16777216);
        hits += x * x + y * y < 1;
    }
    return hits;
}

}  // namespace

// Estimates pi with the Monte Carlo method. Each thread draws random points.
__global__ void monte_carlo_pi(int* hits, int tries) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned state = i * 2654435761u + 1;
    int count = 0;
    for (int k = 0; k < tries; ++k) {
        const float x = (next_random(state) >> 8) * (1.0f / 16777216);
        const float y = (next_random(state) >> 8) * (1.0f / 16777216);
        if (x * x + y * y < 1) ++count;
    }
    hits[i] = count;
}
EXAMPLE(monte_carlo_pi) {
    const int n = pick(1 << 18, 1 << 12), tries = 128;
    const Buffer<int> hits = zeros<int>(n);
    // The host may round the sum of squares differently.
    const auto check = [=] {
        const auto found = hits.read();
        return compare(
            found,
            [&](std::size_t i) {
                const int host = hits_of(static_cast<unsigned>(i), tries);
                return std::abs(host - found[i]) <= 1 ? found[i] : host;
            },
            0, 5000);
    };
    return {[=] { monte_carlo_pi<<<n / kThreads, kThreads>>>(hits, tries); }, check};
}

// Estimates pi like monte_carlo_pi, but adds up each block's hits before the atomic.
__global__ void monte_carlo_pi_sum(int* hits, int tries) {
    __shared__ int s[kThreads];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned state = i * 2654435761u + 1;
    int count = 0;
    for (int k = 0; k < tries; ++k) {
        const float x = (next_random(state) >> 8) * (1.0f / 16777216);
        const float y = (next_random(state) >> 8) * (1.0f / 16777216);
        count += x * x + y * y < 1;
    }
    s[threadIdx.x] = count;
    __syncthreads();
    for (int stride = kThreads / 2; stride > 0; stride /= 2) {
        if (threadIdx.x < stride) s[threadIdx.x] += s[threadIdx.x + stride];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(hits, s[0]);
}
EXAMPLE(monte_carlo_pi_sum) {
    const int n = pick(1 << 18, 1 << 12), tries = 128;
    const Buffer<int> hits = zeros<int>(1);
    const double pi = 3.14159265 / 4 * n * tries;
    return {[=] { monte_carlo_pi_sum<<<n / kThreads, kThreads>>>(hits, tries); },
            [=] {
                return compare(
                    hits, [=](std::size_t) { return pi; }, 0.01);
            },
            [=] { hits.restore(); }};
}

// Generates sixteen random numbers per thread.
__global__ void xorshift_numbers(unsigned* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned state = i * 2654435761u + 1;
    for (int k = 0; k < 16; ++k) out[k * n + i] = next_random(state);
}
EXAMPLE(xorshift_numbers) {
    const int n = pick(1 << 20, 1 << 12);
    const auto out = zeros<unsigned>(16 * n);
    const auto expected = [=](std::size_t at) {
        unsigned state = static_cast<unsigned>(at) % static_cast<unsigned>(n) * 2654435761u + 1;
        for (std::size_t k = 0; k < at / static_cast<std::size_t>(n); ++k) next_random(state);
        return next_random(state);
    };
    return {[=] { xorshift_numbers<<<n / kThreads, kThreads>>>(out, n); },
            [=] { return compare(out, expected); }};
}

namespace {

__host__ __device__ int escape_time(float cx, float cy, int most) {
    float x = 0, y = 0;
    int k = 0;
    for (; k < most && x * x + y * y < 4; ++k) {
        const float next = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = next;
    }
    return k;
}

/// Compares pixels. A few pixels may differ, because host and device round
/// differently.
std::string compare_most(const std::vector<int>& found,
                         const std::function<int(std::size_t)>& expected) {
    std::size_t wrong = 0, first = 0;
    for (std::size_t i = 0; i < found.size(); i += 7) {
        if (std::abs(expected(i) - found[i]) <= 1) continue;
        if (wrong++ == 0) first = i;
    }
    return wrong * 7 > found.size() / 50 ? mismatch(first, expected(first), found[first]) : "";
}

}  // namespace

__global__ void mandelbrot(int* out, int side, int most) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * side + x] = escape_time(-2.0f + 3.0f * x / side, -1.5f + 3.0f * y / side, most);
}
EXAMPLE(mandelbrot) {
    const int side = pick(1024, 128), most = 128;
    const Buffer<int> out = zeros<int>(side * side);
    const dim3 grid(static_cast<unsigned>(side / 16), static_cast<unsigned>(side / 16));
    const auto expected = [=](std::size_t i) {
        const auto x = static_cast<float>(static_cast<int>(i) % side),
                   y = static_cast<float>(static_cast<int>(i) / side);
        return escape_time(-2.0f + 3.0f * x / static_cast<float>(side),
                           -1.5f + 3.0f * y / static_cast<float>(side), most);
    };
    return {[=] { mandelbrot<<<grid, dim3(16, 16)>>>(out, side, most); },
            [=] { return compare_most(out.read(), expected); }};
}

// Computes a Julia set in double precision.
__global__ void julia_double(int* out, int side) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x,
              row = blockIdx.y * blockDim.y + threadIdx.y;
    double x = -1.5 + 3.0 * col / side, y = -1.5 + 3.0 * row / side;
    int k = 0;
    while (k < 100 && x * x + y * y < 4) {
        const double next = x * x - y * y - 0.8;
        y = 2 * x * y + 0.156;
        x = next;
        ++k;
    }
    out[row * side + col] = k;
}
EXAMPLE(julia_double) {
    const int side = pick(768, 64);
    const Buffer<int> out = zeros<int>(side * side);
    const auto expected = [=](std::size_t i) {
        double x = -1.5 + 3.0 * static_cast<double>(i % side) / side,
               y = -1.5 + 3.0 * static_cast<double>(i / side) / side;
        int k = 0;
        for (; k < 100 && x * x + y * y < 4; ++k) {
            const double next = x * x - y * y - 0.8;
            y = 2 * x * y + 0.156;
            x = next;
        }
        return k;
    };
    const dim3 grid(static_cast<unsigned>(side / 32), static_cast<unsigned>(side / 8));
    return {[=] { julia_double<<<grid, dim3(32, 8)>>>(out, side); },
            [=] { return compare_most(out.read(), expected); }};
}

// Computes option prices with the Black-Scholes formula.
__global__ void black_scholes(float* call, const float* price, const float* strike, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float s = 20 + 80 * price[i], k = 20 + 80 * strike[i], root = sqrtf(0.5f) * 0.3f;
    const float d1 = (logf(s / k) + (0.02f + 0.045f) * 0.5f) / root, d2 = d1 - root;
    call[i] = s * normcdff(d1) - k * expf(-0.01f) * normcdff(d2);
}
EXAMPLE(black_scholes) {
    const int n = pick(1 << 21, 1 << 14);
    const Buffer<float> price = floats(n), strike = floats(n, 2), call = zeros<float>(n);
    const auto phi = [](double d) { return 0.5 * std::erfc(-d / std::sqrt(2.0)); };
    const auto expected = [=](std::size_t i) {
        const double s = 20 + 80 * price.start(i), k = 20 + 80 * strike.start(i),
                     root = std::sqrt(0.5) * 0.3;
        const double d1 = (std::log(s / k) + 0.065 * 0.5) / root;
        return s * phi(d1) - k * std::exp(-0.01) * phi(d1 - root);
    };
    return {[=] { black_scholes<<<n / kThreads, kThreads>>>(call, price, strike, n); },
            [=] { return compare(call, expected, 1e-3); }};
}

// Evaluates a polynomial of degree eight.
__global__ void polynomial(float* out, const float* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float x = in[i];
    float value = 0.5f;
#pragma unroll
    for (int k = 0; k < 8; ++k) value = value * x + 0.25f;
    out[i] = value;
}
EXAMPLE(polynomial) {
    return map_of(
        polynomial, floats(pick(1 << 23, 1 << 15)),
        [](float x) {
            float value = 0.5f;
            for (int k = 0; k < 8; ++k) value = value * x + 0.25f;
            return value;
        },
        1e-5);
}

// Computes many steps of a recurrence, so that the time depends only on arithmetic.
__global__ void long_recurrence(float* out, const float* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = in[i];
    for (int k = 0; k < 256; ++k) x = x * 0.999f + 0.0005f;
    out[i] = x;
}
EXAMPLE(long_recurrence) {
    return map_of(
        long_recurrence, floats(pick(1 << 21, 1 << 14)),
        [](float x) {
            for (int k = 0; k < 256; ++k) x = x * 0.999f + 0.0005f;
            return x;
        },
        1e-4);
}

// Computes four independent recurrences per thread.
__global__ void four_recurrences(float* out, const float* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float a = in[i], b = a + 1, c = a + 2, d = a + 3;
    for (int k = 0; k < 128; ++k) {
        a = a * 0.999f + 0.0005f;
        b = b * 0.998f + 0.0005f;
        c = c * 0.997f + 0.0005f;
        d = d * 0.996f + 0.0005f;
    }
    out[i] = a + b + c + d;
}
EXAMPLE(four_recurrences) {
    return map_of(
        four_recurrences, floats(pick(1 << 20, 1 << 14)),
        [](float x) {
            float v[4] = {x, x + 1, x + 2, x + 3};
            for (int k = 0; k < 128; ++k)
                for (int j = 0; j < 4; ++j)
                    v[j] = v[j] * (0.999f - 0.001f * static_cast<float>(j)) + 0.0005f;
            return v[0] + v[1] + v[2] + v[3];
        },
        1e-4);
}

// Computes the sine, exponential, power and square root of each element.
__global__ void expensive_map(float* out, const float* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = sqrtf(expf(in[i])) + sinf(in[i]) * powf(in[i] + 1, 1.5f);
}
EXAMPLE(expensive_map) {
    return map_of(
        expensive_map, floats(pick(1 << 22, 1 << 15)),
        [](float x) { return std::sqrt(std::exp(x)) + std::sin(x) * std::pow(x + 1, 1.5f); }, 1e-4);
}

// Computes the functions of expensive_map with fast intrinsics.
__global__ void expensive_map_fast(float* out, const float* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = __fsqrt_rn(__expf(in[i])) + __sinf(in[i]) * __powf(in[i] + 1, 1.5f);
}
EXAMPLE(expensive_map_fast) {
    return map_of(
        expensive_map_fast, floats(pick(1 << 22, 1 << 15)),
        [](float x) { return std::sqrt(std::exp(x)) + std::sin(x) * std::pow(x + 1, 1.5f); }, 1e-3);
}

// Computes roots in double precision with Newton's method.
__global__ void newton_double(double* out, const double* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const double a = in[i] + 1;
    double x = a;
    for (int k = 0; k < 8; ++k) x = 0.5 * (x + a / x);
    out[i] = x;
}
EXAMPLE(newton_double) {
    return map_of(
        newton_double, doubles(pick(1 << 19, 1 << 13)), [](double v) { return std::sqrt(v + 1); },
        1e-9);
}

// Counts Collatz steps. The threads of a warp need different numbers of steps.
__global__ void collatz(int* out, const int* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long x = in[i] + 1;
    int steps = 0;
    while (x != 1) {
        x = x % 2 == 0 ? x / 2 : 3 * x + 1;
        ++steps;
    }
    out[i] = steps;
}
EXAMPLE(collatz) {
    return map_of(collatz, integers(pick(1 << 19, 1 << 12), 100000), [](int start) {
        unsigned long long x = static_cast<unsigned long long>(start) + 1;
        int steps = 0;
        for (; x != 1; ++steps) x = x % 2 == 0 ? x / 2 : 3 * x + 1;
        return steps;
    });
}

// Tests primality by trial division.
__global__ void count_primes(int* out, const int* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int number = in[i];
    int is_prime = number > 1;
    for (int d = 2; d * d <= number; ++d) {
        if (number % d == 0) {
            is_prime = 0;
            break;
        }
    }
    out[i] = is_prime;
}
EXAMPLE(count_primes) {
    return map_of(count_primes, integers(pick(1 << 19, 1 << 12), 20000), [](int number) {
        for (int d = 2; d * d <= number; ++d)
            if (number % d == 0) return 0;
        return number > 1 ? 1 : 0;
    });
}

// Computes greatest common divisors, with one integer division per iteration.
__global__ void common_divisors(int* out, const int* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int a = in[i] + 1, b = in[n - 1 - i] + 1;
    while (b != 0) {
        const int rest = a % b;
        a = b;
        b = rest;
    }
    out[i] = a;
}
EXAMPLE(common_divisors) {
    const int n = pick(1 << 20, 1 << 13);
    const Buffer<int> in = integers(n, 1'000'000), out = zeros<int>(n);
    const auto expected = [=](std::size_t i) {
        int a = in.start(i) + 1, b = in.start(in.size() - 1 - i) + 1;
        while (b != 0) a = std::exchange(b, a % b);
        return a;
    };
    return {[=] { common_divisors<<<n / kThreads, kThreads>>>(out, in, n); },
            [=] { return compare(out, expected, 0, 1 << 16); }};
}

// Reverses and counts bits.
__global__ void count_bits(unsigned* out, const unsigned* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = __popc(in[i] ^ __brev(in[i])) + __clz(in[i]);
}
EXAMPLE(count_bits) {
    return map_of(count_bits, integers<unsigned>(pick(1 << 23, 1 << 15), 0xffffffffu),
                  [](unsigned v) {
                      unsigned reversed = 0, leading = 0;
                      for (int k = 0; k < 32; ++k) reversed |= (v >> k & 1) << (31 - k);
                      while (leading < 32 && !(v >> (31 - leading) & 1)) ++leading;
                      return static_cast<unsigned>(__builtin_popcount(v ^ reversed)) + leading;
                  });
}

// Computes a 64-bit hash.
__global__ void hash_words(unsigned long long* out, const unsigned long long* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long h = in[i];
    for (int k = 0; k < 4; ++k) {
        h ^= h >> 33;
        h *= 0xff51afd7ed558ccdull;
        h = (h << 31) | (h >> 33);
    }
    out[i] = h;
}
EXAMPLE(hash_words) {
    return map_of(hash_words, integers<unsigned long long>(pick(1 << 21, 1 << 14), 0xffffffffu),
                  [](unsigned long long h) {
                      for (int k = 0; k < 4; ++k) {
                          h ^= h >> 33;
                          h *= 0xff51afd7ed558ccdull;
                          h = (h << 31) | (h >> 33);
                      }
                      return h;
                  });
}

// Integrates a function, with one strip per thread.
__global__ void integrate(double* out, int strips, double width) {
    __shared__ double s[kThreads];
    double sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < strips; i += gridDim.x * blockDim.x) {
        const double x = (i + 0.5) * width;
        sum += 4.0 / (1.0 + x * x);
    }
    s[threadIdx.x] = sum * width;
    __syncthreads();
    for (int stride = kThreads / 2; stride > 0; stride /= 2) {
        if (threadIdx.x < stride) s[threadIdx.x] += s[threadIdx.x + stride];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}
EXAMPLE(integrate) {
    const int strips = pick(1 << 23, 1 << 16), blocks = pick(528, 16);
    const Buffer<double> out = zeros<double>(blocks);
    return {[=] { integrate<<<blocks, kThreads>>>(out, strips, 1.0 / strips); },
            [=] {
                double sum = 0;
                for (const double part : out.read()) sum += part;
                return compare(
                    std::vector<double>{sum}, [](std::size_t) { return 3.14159265358979; }, 1e-9);
            }};
}

// Multiplies points by a matrix in constant memory.
__constant__ float matrix[16];
__global__ void transform_points(float4* out, const float4* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float4 p = in[i];
    const float* m = matrix;
    out[i] = make_float4(m[0] * p.x + m[1] * p.y + m[2] * p.z + m[3],
                         m[4] * p.x + m[5] * p.y + m[6] * p.z + m[7],
                         m[8] * p.x + m[9] * p.y + m[10] * p.z + m[11], 1);
}
EXAMPLE(transform_points) {
    static const float chosen[16] = {0.6f, -0.8f, 0, 1, 0.8f, 0.6f, 0, 2, 0, 0, 1, 3, 0, 0, 0, 1};
    require(cudaMemcpyToSymbol(matrix, chosen, sizeof chosen));
    const int n = pick(1 << 21, 1 << 14);
    const auto in = filled(n, body), out = zeros<float4>(n);
    return {[=] { transform_points<<<n / kThreads, kThreads>>>(out, in, n); },
            [=] {
                std::vector<float> ys;
                for (const float4& p : out.read()) ys.push_back(p.y);
                return compare(
                    ys,
                    [&](std::size_t i) { return 0.8f * in.start(i).x + 0.6f * in.start(i).y + 2; },
                    1e-5);
            }};
}
