// Tests functions with explicit rounding directions, for results that lie between two floats.
// expect: float: ok
// expect: double: ok
// expect: conversions: ok
#include <cuda_runtime.h>

#include <cstdio>

struct Results {
    float floats[4][7];
    double doubles[4][6];
    int whole[4][3];
    float converted[4][3];
};

#define FILL(i, r)                                                        \
    results->floats[i][0] = __fadd_##r(x, tiny);                          \
    results->floats[i][1] = __fsub_##r(-x, tiny);                         \
    results->floats[i][2] = __fmul_##r(third, third);                     \
    results->floats[i][3] = __fdiv_##r(x, 3.0f);                          \
    results->floats[i][4] = __fmaf_##r(third, third, x);                  \
    results->floats[i][5] = __fsqrt_##r(2.0f * x);                        \
    results->floats[i][6] = __frcp_##r(3.0f * x);                         \
    results->doubles[i][0] = __dadd_##r(x, 1e-20);                        \
    results->doubles[i][1] = __dsub_##r(-x, 1e-20);                       \
    results->doubles[i][2] = __dmul_##r(x / 3.0, x / 3.0);                \
    results->doubles[i][3] = __ddiv_##r(x, 3.0);                          \
    results->doubles[i][4] = __fma_##r(x / 3.0, x / 3.0, 1.0);            \
    results->doubles[i][5] = __dsqrt_##r(2.0 * x);                        \
    results->whole[i][0] = __float2int_##r(-2.75f * x);                   \
    results->whole[i][1] = static_cast<int>(__float2uint_##r(2.75f * x)); \
    results->whole[i][2] = __double2int_##r(-2.25 * x);                   \
    results->converted[i][0] = __int2float_##r(-((1 << 24) + 1));         \
    results->converted[i][1] = __uint2float_##r((1u << 25) + 3);          \
    results->converted[i][2] = __double2float_##r(x / 3.0);

enum { kNearest, kToZero, kUp, kDown };

__global__ void compute(Results* results, float x, float tiny, float third) {
    FILL(kNearest, rn)
    FILL(kToZero, rz)
    FILL(kUp, ru)
    FILL(kDown, rd)
}

/// Checks that `down` < `up`, and that the results of the other two modes are correct.
template <class T, int N>
bool right(const T (&results)[4][N]) {
    bool good = true;
    for (int i = 0; i < N; ++i) {
        const T up = results[kUp][i], down = results[kDown][i], nearest = results[kNearest][i];
        good &= down < up && (nearest == up || nearest == down);
        good &= results[kToZero][i] == (up > 0 ? down : up);
    }
    return good;
}

int main() {
    Results *device, host;
    cudaMalloc(&device, sizeof host);
    compute<<<1, 1>>>(device, 1.0f, 1e-10f, 1.0f / 3.0f);
    cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost);
    std::printf("float: %s\n", right(host.floats) ? "ok" : "wrong");
    std::printf("double: %s\n", right(host.doubles) ? "ok" : "wrong");
    std::printf("conversions: %s\n", right(host.whole) && right(host.converted) ? "ok" : "wrong");
    return 0;
}
