// Everyday kernels that compute: chains of arithmetic, special functions, integers, doubles, divergent loops.
#include "bench.h"

namespace everyday {
namespace {

__global__ void bodies_attract(const float4* bodies, float4* forces, int n) {
    __shared__ float4 tile[256];
    const int i = blockIdx.x * 256 + threadIdx.x;
    const float4 me = bodies[i];
    float3 sum = {0, 0, 0};
    for (int k = 0; k < n; k += 256) {
        tile[threadIdx.x] = bodies[k + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < 256; ++j) {
            const float dx = tile[j].x - me.x, dy = tile[j].y - me.y, dz = tile[j].z - me.z;
            const float r = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-9f), f = tile[j].w * r * r * r;
            sum.x += f * dx;
            sum.y += f * dy;
            sum.z += f * dz;
        }
        __syncthreads();
    }
    forces[i] = {sum.x, sum.y, sum.z, 0};
}
__global__ void bodies_attract_plainly(const float4* bodies, float4* forces, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 me = bodies[i];
    float3 sum = {0, 0, 0};
    for (int j = 0; j < n; ++j) {
        const float4 other = bodies[j];
        const float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
        const float r = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-9f), f = other.w * r * r * r;
        sum.x += f * dx;
        sum.y += f * dy;
        sum.z += f * dz;
    }
    forces[i] = {sum.x, sum.y, sum.z, 0};
}
/// CHAINS polynomials side by side, 256 steps each.
template <class T, int CHAINS>
__global__ void polynomials(const T* in, T* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    T x = in[i], y[CHAINS];
    for (int c = 0; c < CHAINS; ++c) y[c] = x + c;
    for (int k = 0; k < 256; ++k)
        for (int c = 0; c < CHAINS; ++c) y[c] = y[c] * x + T(1);
    T sum = 0;
    for (int c = 0; c < CHAINS; ++c) sum += y[c];
    out[i] = sum;
}
template <int WHICH>
__global__ void functions(const float* in, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = in[i];
    for (int k = 0; k < 16; ++k) {
        if (WHICH == 0) x = sinf(x) + .5f;
        if (WHICH == 1) x = expf(-x);
        if (WHICH == 2) x = sqrtf(x + 1.f);
        if (WHICH == 3) x = 1.f / (x + 1.5f);
        if (WHICH == 4) x = logf(x + 2.f);
        if (WHICH == 5) x = powf(x + 1.f, .3f);
        if (WHICH == 6) x = __expf(-x);
        if (WHICH == 7) x = tanhf(x + .1f);
        if (WHICH == 8) x = rsqrtf(x + 1.f);
    }
    out[i] = x;
}
__global__ void hash_integers(const unsigned* in, unsigned* out, int rounds) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned h = in[i];
    for (int k = 0; k < rounds; ++k) {
        h ^= h >> 16;
        h *= 0x85ebca6bu;
        h ^= h >> 13;
        h *= 0xc2b2ae35u;
        h ^= h >> 16;
    }
    out[i] = h;
}
__global__ void divide_integers(const int* in, int* out, int by) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int v = in[i], sum = 0;
    for (int k = 0; k < 16; ++k) {
        sum += v / (by + k);
        v += sum % 7;
    }
    out[i] = sum;
}
__global__ void count_primes(int* out, int first) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, n = first + i;
    int is_prime = n > 1;
    for (int d = 2; d * d <= n; ++d)
        if (n % d == 0) {
            is_prime = 0;
            break;
        }
    out[i] = is_prime;
}
__global__ void mandelbrot(int* out, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const float cx = -2.f + 3.f * x / width, cy = -1.5f + 3.f * y / height;
    float zx = 0, zy = 0;
    int k = 0;
    for (; k < 256 && zx * zx + zy * zy < 4; ++k) {
        const float t = zx * zx - zy * zy + cx;
        zy = 2 * zx * zy + cy;
        zx = t;
    }
    out[y * width + x] = k;
}
__global__ void estimate_pi(unsigned* hits, int tries) {
    unsigned s = blockIdx.x * blockDim.x + threadIdx.x + 1, inside = 0;
    for (int k = 0; k < tries; ++k) {
        s ^= s << 13;
        s ^= s >> 17;
        s ^= s << 5;
        const float x = s * 2.3283064e-10f;
        s ^= s << 13;
        s ^= s >> 17;
        s ^= s << 5;
        const float y = s * 2.3283064e-10f;
        inside += x * x + y * y < 1;
    }
    atomicAdd(hits, inside);
}
__device__ float normal(float d) {
    const float k = 1.f / (1.f + .2316419f * fabsf(d));
    const float c =
        .39894228f * expf(-.5f * d * d) *
        (k * (.31938153f +
              k * (-.35656378f + k * (1.78147794f + k * (-1.82125598f + k * 1.33027443f)))));
    return d > 0 ? 1 - c : c;
}
__global__ void black_scholes(const float* price, const float* strike, const float* years,
                              float* call, float* put, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float s = price[i], x = strike[i], t = years[i], root = sqrtf(t);
    const float d1 = (logf(s / x) + (.02f + .5f * .3f * .3f) * t) / (.3f * root),
                d2 = d1 - .3f * root;
    const float n1 = normal(d1), n2 = normal(d2), discount = expf(-.02f * t);
    call[i] = s * n1 - x * discount * n2;
    put[i] = x * discount * (1 - n2) - s * (1 - n1);
}
__constant__ float weights[25];
__global__ void convolve(const float* in, float* out, int width, int height) {
    __shared__ float s[20][36];
    const int x0 = blockIdx.x * 32, y0 = blockIdx.y * 16, t = threadIdx.y * 32 + threadIdx.x;
    for (int i = t; i < 20 * 36; i += 512) {
        const int y = min(max(y0 + i / 36 - 2, 0), height - 1),
                  x = min(max(x0 + i % 36 - 2, 0), width - 1);
        s[i / 36][i % 36] = in[y * width + x];
    }
    __syncthreads();
    float sum = 0;
    for (int dy = 0; dy < 5; ++dy)
        for (int dx = 0; dx < 5; ++dx)
            sum += weights[dy * 5 + dx] * s[threadIdx.y + dy][threadIdx.x + dx];
    out[(y0 + threadIdx.y) * width + x0 + threadIdx.x] = sum;
}

}  // namespace

std::vector<Case> arithmetic_cases(const Buffers& m) {
    std::vector<Case> cases;
    const auto add = [&](const char* name, std::function<void()> launch) {
        cases.push_back({name, std::move(launch)});
    };
    const int bodies = 32768, some = 1 << 22;
    const unsigned blocks = some / 256;
    add("bodies_attract",
        [=] { bodies_attract<<<bodies / 256, 256>>>((const float4*)m.a, (float4*)m.b, bodies); });
    add("bodies_attract_few",
        [=] { bodies_attract<<<16, 256>>>((const float4*)m.a, (float4*)m.b, 4096); });
    add("bodies_attract_plainly", [=] {
        bodies_attract_plainly<<<bodies / 256, 256>>>((const float4*)m.a, (float4*)m.b, bodies);
    });
    add("polynomials_1", [=] { polynomials<float, 1><<<blocks, 256>>>(m.a, m.b); });
    add("polynomials_4", [=] { polynomials<float, 4><<<blocks, 256>>>(m.a, m.b); });
    add("polynomials_1_few_warps", [=] { polynomials<float, 1><<<132, 128>>>(m.a, m.b); });
    add("polynomials_4_few_warps", [=] { polynomials<float, 4><<<132, 128>>>(m.a, m.b); });
    add("polynomials_double_1",
        [=] { polynomials<double, 1><<<blocks, 256>>>((const double*)m.a, (double*)m.b); });
    add("polynomials_double_4",
        [=] { polynomials<double, 4><<<blocks, 256>>>((const double*)m.a, (double*)m.b); });
    add("polynomials_int_4",
        [=] { polynomials<int, 4><<<blocks, 256>>>((const int*)m.a, (int*)m.b); });
    add("sines", [=] { functions<0><<<blocks, 256>>>(m.c, m.b, some); });
    add("exponentials", [=] { functions<1><<<blocks, 256>>>(m.c, m.b, some); });
    add("roots", [=] { functions<2><<<blocks, 256>>>(m.c, m.b, some); });
    add("reciprocals", [=] { functions<3><<<blocks, 256>>>(m.c, m.b, some); });
    add("logarithms", [=] { functions<4><<<blocks, 256>>>(m.c, m.b, some); });
    add("powers", [=] { functions<5><<<blocks, 256>>>(m.c, m.b, some); });
    add("fast_exponentials", [=] { functions<6><<<blocks, 256>>>(m.c, m.b, some); });
    add("hyperbolic_tangents", [=] { functions<7><<<blocks, 256>>>(m.c, m.b, some); });
    add("reciprocal_roots", [=] { functions<8><<<blocks, 256>>>(m.c, m.b, some); });
    add("hash_integers",
        [=] { hash_integers<<<blocks, 256>>>((const unsigned*)m.a, (unsigned*)m.b, 64); });
    add("divide_integers",
        [=] { divide_integers<<<blocks, 256>>>((const int*)m.shuffled, (int*)m.b, 3); });
    add("count_primes", [=] { count_primes<<<1024, 256>>>((int*)m.b, 1000000); });
    add("mandelbrot",
        [=] { mandelbrot<<<dim3(2048 / 32, 2048 / 8), dim3(32, 8)>>>((int*)m.b, 2048, 2048); });
    add("estimate_pi", [=] { estimate_pi<<<1056, 256>>>((unsigned*)m.b, 1000); });
    add("black_scholes", [=] {
        black_scholes<<<blocks, 256>>>(m.c, m.c + some, m.c + 2 * some, m.b, m.b + some, some);
    });
    add("convolve",
        [=] { convolve<<<dim3(4096 / 32, 4096 / 16), dim3(32, 16)>>>(m.a, m.b, 4096, 4096); });
    return cases;
}

}  // namespace everyday
