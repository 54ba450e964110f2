// Makes shared memory requests with many address patterns. Each launch makes one request with one
// warp. The program writes the cases to a file, where case N is launch N in Nsight Compute:
//
//     nvcc -arch=sm_90 -std=c++20 -o requests shared_requests.cu
//     ncu --clock-control none --csv --page raw --metrics METRIC ./requests COUNT CASES [store]
//
// where METRIC is l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum, or ..._st.sum.
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

struct Case {
    int bytes;
    unsigned active;
    unsigned offsets[32];
};

template <class T>
__global__ void load(const Case* cases, int number, T* out) {
    extern __shared__ __align__(16) unsigned char shared[];
    const unsigned lane = threadIdx.x, offset = cases[number].offsets[lane];
    if (cases[number].active >> lane & 1) out[lane] = *reinterpret_cast<T*>(shared + offset);
}

template <class T>
__global__ void store(const Case* cases, int number, T* out) {
    extern __shared__ __align__(16) unsigned char shared[];
    const unsigned lane = threadIdx.x, offset = cases[number].offsets[lane];
    const T value = out[lane];
    if (cases[number].active >> lane & 1) *reinterpret_cast<T*>(shared + offset) = value;
    __syncthreads();
    if (offset == ~0u) out[lane] = *reinterpret_cast<T*>(shared);  // never true; keeps the store
}

/// Returns the index of the address that a lane uses. Only the last two shapes depend on `few`.
static unsigned choice(unsigned shape, unsigned lane, unsigned few, std::mt19937& random) {
    const unsigned simple[] = {0,         lane / 2, lane / 4, lane / 8,
                               lane / 16, lane % 2, lane % 4, lane % 8};
    return shape < 8 ? simple[shape] : shape == 8 ? random() % few : (lane * 7 + lane / 8) % few;
}

static Case some_case(std::mt19937& random) {
    Case one;
    one.bytes = random() % 3 ? 16 : 8;
    const unsigned shape = random() % 10, few = 1u << random() % 6, range = random() % 2 ? 256 : 32;
    unsigned table[64];
    for (unsigned& offset : table) offset = random() % range * one.bytes;
    for (unsigned lane = 0; lane < 32; ++lane) {
        one.offsets[lane] = table[choice(shape, lane, few, random)];
        if (lane > 1 && random() % 6 == 0) one.offsets[lane] = one.offsets[lane ^ 1];
    }
    const unsigned masks[] = {0xffffffff, static_cast<unsigned>(random()),
                              0x0f0f0f0fu << random() % 5, 0xffffffffu >> random() % 31};
    one.active = masks[random() % 4];
    if (one.active == 0) one.active = 1;
    return one;
}

int main(int argc, char** argv) {
    if (argc < 3) return std::fprintf(stderr, "usage: %s COUNT CASES [store]\n", argv[0]), 2;
    std::mt19937 random(7);
    std::vector<Case> cases(std::atoi(argv[1]));
    for (Case& one : cases) one = some_case(random);
    FILE* file = std::fopen(argv[2], "w");
    if (!file) return std::fprintf(stderr, "%s cannot be written\n", argv[2]), 2;
    for (const Case& one : cases) {
        std::fprintf(file, "%d %08x", one.bytes, one.active);
        for (const unsigned offset : one.offsets) std::fprintf(file, " %u", offset / one.bytes);
        std::fprintf(file, "\n");
    }
    std::fclose(file);

    Case* in;
    float4* out;
    cudaMalloc(&in, cases.size() * sizeof(Case));
    cudaMalloc(&out, 32 * sizeof(float4));
    cudaMemcpy(in, cases.data(), cases.size() * sizeof(Case), cudaMemcpyHostToDevice);
    for (int i = 0; i < static_cast<int>(cases.size()); ++i) {
        float2* narrow = reinterpret_cast<float2*>(out);
        const bool wide = cases[i].bytes == 16, stores = argc > 3;
        if (stores && wide) store<<<1, 32, 4096>>>(in, i, out);
        if (stores && !wide) store<<<1, 32, 4096>>>(in, i, narrow);
        if (!stores && wide) load<<<1, 32, 4096>>>(in, i, out);
        if (!stores && !wide) load<<<1, 32, 4096>>>(in, i, narrow);
    }
    std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
