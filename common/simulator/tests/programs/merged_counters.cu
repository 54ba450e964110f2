// Adjacent accesses of a thread to shared memory are counted like the wider access into which ptxas
// merges them. ptxas's code for these kernels has the same access widths (tests/merges), and an
// H200 gives the same counts for the first three kernels.
// simulator only
// expect: four adjacent loads: 1 loads of 4 wavefronts, 0 conflicts; 4 stores of 4, 0
// expect: four adjacent stores: 4 loads of 4 wavefronts, 0 conflicts; 1 stores of 4, 0
// expect: eight words for all lanes: 2 loads of 4 wavefronts, 0 conflicts; 1 stores of 1, 0
// expect: pairs: 1 loads of 2 wavefronts, 0 conflicts; 2 stores of 2, 0
// The address is not known to be a multiple of 8.
// expect: pairs from an unknown word on: 2 loads of 4 wavefronts, 2 conflicts; 2 stores of 2, 0
// The compiler loads 16 bytes, of which it does not use the first four, and then 4 bytes.
// expect: four loads from the second word on: 2 loads of 8 wavefronts, 3 conflicts; 5 stores of 5, 0
// expect: structures of 12 bytes: 3 loads of 3 wavefronts, 0 conflicts; 3 stores of 3, 0
// expect: a store between two loads: 2 loads of 2 wavefronts, 0 conflicts; 2 stores of 2, 0
// expect: a row of a tile: 8 loads of 16 wavefronts, 0 conflicts; 1 stores of 1, 0
#include "check.h"
#include "simulator_function.h"

struct P3 {
    float x, y, z;
};

__global__ void four_loads(float* out, const float* in, int) {
    __shared__ float s[128];
    const int t = threadIdx.x;
    for (int k = 0; k < 4; ++k) s[t + 32 * k] = in[t + 32 * k];
    __syncthreads();
    out[t] = s[4 * t] + s[4 * t + 1] + s[4 * t + 2] + s[4 * t + 3];
}
__global__ void four_stores(float* out, const float* in, int) {
    __shared__ float s[128];
    const int t = threadIdx.x;
    const float v = in[t];
    s[4 * t] = v;
    s[4 * t + 1] = v + 1;
    s[4 * t + 2] = v + 2;
    s[4 * t + 3] = v + 3;
    __syncthreads();
    for (int k = 0; k < 4; ++k) out[t + 32 * k] = s[t + 32 * k];
}
__global__ void eight_words(float* out, const float* in, int) {
    __shared__ float s[8];
    if (threadIdx.x < 8) s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 8; ++k) sum += s[k];
    out[threadIdx.x] = sum;
}
// This kernel is in PTX, because some compilers hide the alignment of the address.
__global__ void pairs(float* out, const float* in, int) {
    const int t = threadIdx.x;
    float difference;
    asm volatile(
        "{ .shared .align 8 .b8 words[256];\n"
        "  .reg .b32 first, address;\n"
        "  .reg .f32 a, b;\n"
        "  mov.u32 first, words;\n"
        "  shl.b32 address, %1, 2;\n"
        "  add.u32 address, address, first;\n"
        "  st.shared.f32 [address], %2;\n"
        "  st.shared.f32 [address+128], %3;\n"
        "  bar.sync 0;\n"
        "  shl.b32 address, %1, 3;\n"
        "  add.u32 address, address, first;\n"
        "  ld.shared.f32 a, [address];\n"
        "  ld.shared.f32 b, [address+4];\n"
        "  sub.f32 %0, a, b; }"
        : "=f"(difference)
        : "r"(t), "f"(in[t]), "f"(in[t + 32])
        : "memory");
    out[t] = difference;
}
__global__ void unknown_pairs(float* out, const float* in, int from) {
    __shared__ float s[66];
    const int t = threadIdx.x;
    for (int k = 0; k < 2; ++k) s[t + 32 * k] = in[t + 32 * k];
    __syncthreads();
    out[t] = s[2 * t + from] - s[2 * t + from + 1];
}
__global__ void from_second(float* out, const float* in, int) {
    __shared__ float s[160];
    const int t = threadIdx.x;
    for (int k = 0; k < 5; ++k) s[t + 32 * k] = in[t + 32 * k];
    __syncthreads();
    out[t] = s[4 * t + 1] + s[4 * t + 2] + s[4 * t + 3] + s[4 * t + 4];
}
__global__ void structures(P3* out, const P3* in) {
    __shared__ P3 s[32];
    const int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    out[t] = s[(t + 1) % 32];
}
__global__ void store_between(float* out, const float* in, int i) {
    __shared__ float s[32];
    const int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    const float a = s[0];
    if (t < 32) s[i] = 1;
    const float b = s[1];
    out[t] = a + b;
}
__global__ void row_of_tile(float* out, const float* in, int) {
    __shared__ float s[32];
    const int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 32; ++k) sum = sum * 2 + s[k];
    out[t] = sum;
}

static float *in, *out;

template <class Launch>
static void show(const char* what, Launch launch) {
    MUST(cudaDeviceSynchronize());
    FIND(coalesceResetCounters)();
    launch();
    MUST(cudaDeviceSynchronize());
    CoalesceCounters c = {};
    FIND(coalesceGetCounters)(nullptr, &c);
    std::printf("%s: %d loads of %d wavefronts, %d conflicts; %d stores of %d, %d\n", what,
                int(c.shared_load_requests), int(c.shared_load_wavefronts),
                int(c.shared_load_wavefronts - c.shared_load_ideal), int(c.shared_store_requests),
                int(c.shared_store_wavefronts),
                int(c.shared_store_wavefronts - c.shared_store_ideal));
}
static void show(const char* what, void (*kernel)(float*, const float*, int), int argument = 0) {
    show(what, [=] { kernel<<<1, 32>>>(out, in, argument); });
}

int main() {
    MUST(cudaMalloc(&in, 4096));
    MUST(cudaMalloc(&out, 4096));
    MUST(cudaMemset(in, 0, 4096));
    show("four adjacent loads", four_loads);
    show("four adjacent stores", four_stores);
    show("eight words for all lanes", eight_words);
    show("pairs", pairs);
    show("pairs from an unknown word on", unknown_pairs, 0);
    show("four loads from the second word on", from_second);
    show("structures of 12 bytes", [] {
        structures<<<1, 32>>>(reinterpret_cast<P3*>(out), reinterpret_cast<const P3*>(in));
    });
    show("a store between two loads", store_between, 5);
    show("a row of a tile", row_of_tile);
    return 0;
}
