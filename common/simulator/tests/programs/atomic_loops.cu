// Atomics on shared memory that are compiled to loops. Prints the exchanges and loads of one warp,
// including one load after the loop. The expected numbers were counted on an H200
// (smsp__inst_executed_op_shared_atom.sum, smsp__sass_inst_executed_op_shared_ld.sum,
// l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{atom,ld}.sum).
// simulator only
// expect: float, one word: 32 exchanges in 64 wavefronts, 33 loads in 33 wavefronts
// expect: float, eight lanes a word: 8 exchanges in 16 wavefronts, 9 loads in 9 wavefronts
// expect: float, half warps: 2 exchanges in 4 wavefronts, 3 loads in 3 wavefronts
// expect: float, four words of a bank: 32 exchanges in 64 wavefronts, 33 loads in 123 wavefronts
// expect: float, a bank: 32 exchanges in 64 wavefronts, 33 loads in 529 wavefronts
// expect: float, twenty lanes a word: 20 exchanges in 40 wavefronts, 21 loads in 21 wavefronts
// expect: float, at random: 3 exchanges in 6 wavefronts, 4 loads in 7 wavefronts
// expect: float, at random again: 4 exchanges in 8 wavefronts, 5 loads in 10 wavefronts
// expect: double, one word: 32 exchanges in 96 wavefronts, 33 loads in 34 wavefronts
// expect: double, eight lanes a word: 8 exchanges in 32 wavefronts, 9 loads in 10 wavefronts
// expect: double, half warps: 2 exchanges in 6 wavefronts, 3 loads in 5 wavefronts
// expect: double, four words of a bank: 17 exchanges in 66 wavefronts, 18 loads in 121 wavefronts
// expect: double, a bank: 16 exchanges in 64 wavefronts, 17 loads in 274 wavefronts
// expect: double, twenty lanes a word: 20 exchanges in 72 wavefronts, 21 loads in 23 wavefronts
// expect: double, at random: 3 exchanges in 10 wavefronts, 4 loads in 9 wavefronts
// expect: double, at random again: 4 exchanges in 14 wavefronts, 5 loads in 16 wavefronts
// expect: 64 bits, one word: 32 exchanges in 96 wavefronts, 33 loads in 34 wavefronts
// expect: 64 bits, eight lanes a word: 8 exchanges in 32 wavefronts, 9 loads in 10 wavefronts
// expect: 64 bits, half warps: 2 exchanges in 6 wavefronts, 3 loads in 5 wavefronts
// expect: 64 bits, four words of a bank: 17 exchanges in 66 wavefronts, 18 loads in 121 wavefronts
// expect: 64 bits, a bank: 16 exchanges in 64 wavefronts, 17 loads in 274 wavefronts
// expect: 64 bits, twenty lanes a word: 20 exchanges in 72 wavefronts, 21 loads in 23 wavefronts
// expect: 64 bits, at random: 3 exchanges in 10 wavefronts, 4 loads in 9 wavefronts
// expect: 64 bits, at random again: 4 exchanges in 14 wavefronts, 5 loads in 16 wavefronts
// expect: most of 64 bits, one word: 5 exchanges in 20 wavefronts, 7 loads in 8 wavefronts
// expect: most of 64 bits, eight lanes a word: 5 exchanges in 18 wavefronts, 6 loads in 7 wavefronts
// expect: most of 64 bits, half warps: 2 exchanges in 6 wavefronts, 3 loads in 5 wavefronts
// expect: most of 64 bits, four words of a bank: 6 exchanges in 24 wavefronts, 7 loads in 42 wavefronts
// expect: most of 64 bits, a bank: 16 exchanges in 64 wavefronts, 17 loads in 274 wavefronts
// expect: most of 64 bits, twenty lanes a word: 5 exchanges in 20 wavefronts, 7 loads in 9 wavefronts
// expect: most of 64 bits, at random: 3 exchanges in 10 wavefronts, 4 loads in 9 wavefronts
// expect: most of 64 bits, at random again: 4 exchanges in 14 wavefronts, 5 loads in 16 wavefronts
// expect: and of 64 bits, one word: 16 exchanges in 64 wavefronts, 17 loads in 18 wavefronts
// expect: and of 64 bits, eight lanes a word: 8 exchanges in 32 wavefronts, 9 loads in 10 wavefronts
// expect: and of 64 bits, half warps: 1 exchanges in 4 wavefronts, 2 loads in 4 wavefronts
// expect: and of 64 bits, four words of a bank: 16 exchanges in 64 wavefronts, 17 loads in 115 wavefronts
// expect: and of 64 bits, a bank: 16 exchanges in 64 wavefronts, 17 loads in 274 wavefronts
// expect: and of 64 bits, twenty lanes a word: 16 exchanges in 40 wavefronts, 17 loads in 19 wavefronts
// expect: and of 64 bits, at random: 3 exchanges in 10 wavefronts, 4 loads in 9 wavefronts
// expect: and of 64 bits, at random again: 3 exchanges in 12 wavefronts, 4 loads in 13 wavefronts
#include "texture_counters.h"

enum class Operation { add, most, conjunction };

template <class T, Operation operation>
__global__ void change(T* out, const int* place, const T* in) {
    __shared__ T s[1024];
    for (int i = threadIdx.x; i < 1024; i += 32) s[i] = T(0);
    __syncthreads();
    T* word = s + place[threadIdx.x];
    const T value = in[threadIdx.x];
    if constexpr (operation == Operation::add) atomicAdd(word, value);
    if constexpr (operation == Operation::most) atomicMax(word, value);
    if constexpr (operation == Operation::conjunction) atomicAnd(word, value);
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x];
}

template <class T, Operation operation>
void count(const std::string& what, const int* place) {
    T *out, *in, values[32];
    for (int i = 0; i < 32; ++i) values[i] = T(1 + (i * 7 + 3) % 32);
    MUST(cudaMalloc(&out, 32 * sizeof(T)));
    MUST(cudaMalloc(&in, sizeof values));
    MUST(cudaMemcpy(in, values, sizeof values, cudaMemcpyHostToDevice));
    FIND(coalesceResetCounters)();
    change<T, operation><<<1, 32>>>(out, place, in);
    MUST(cudaDeviceSynchronize());
    std::string json;
    FIND(coalesceReportJson)
    ([](const char* text, size_t size,
        void* user) { static_cast<std::string*>(user)->append(text, size); },
     &json);
    std::printf("%s: %d exchanges in %d wavefronts, %d loads in %d wavefronts\n", what.c_str(),
                counted(json, "shared_atomic_requests"), counted(json, "shared_atomic_wavefronts"),
                counted(json, "shared_load_requests"), counted(json, "shared_load_wavefronts"));
    MUST(cudaFree(out));
    MUST(cudaFree(in));
}

struct Pattern {
    const char* name;
    int words[32];
};

int main() {
    static constexpr Pattern kPatterns[] = {
        {"one word", {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                      0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
        {"eight lanes a word", {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1,
                                2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3}},
        {"half warps", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
                        0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}},
        {"four words of a bank", {0, 32, 64, 96, 0, 32, 64, 96, 0, 32, 64, 96, 0, 32, 64, 96,
                                  0, 32, 64, 96, 0, 32, 64, 96, 0, 32, 64, 96, 0, 32, 64, 96}},
        {"a bank",
         {0,   32,  64,  96,  128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448, 480,
          512, 544, 576, 608, 640, 672, 704, 736, 768, 800, 832, 864, 896, 928, 960, 992}},
        {"twenty lanes a word", {0, 0, 0, 0, 0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,
                                 0, 0, 0, 0, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31}},
        {"at random", {122, 50,  91, 118, 16,  68, 102, 14, 20, 43, 104, 93,  71,  102, 87, 110,
                       98,  127, 79, 62,  124, 40, 72,  94, 65, 58, 57,  115, 119, 74,  16, 53}},
        {"at random again", {40, 20, 39, 27,  63,  12, 38, 3,  87, 119, 3,  8,  56, 47,  96, 108,
                             98, 87, 29, 109, 102, 12, 72, 76, 59, 124, 97, 90, 82, 112, 97, 97}}};
    int* place;
    MUST(cudaMalloc(&place, sizeof kPatterns[0].words));
    const auto all = [&](const std::string& what,
                         void (*count_one)(const std::string&, const int*)) {
        for (const Pattern& pattern : kPatterns) {
            MUST(cudaMemcpy(place, pattern.words, sizeof pattern.words, cudaMemcpyHostToDevice));
            count_one(what + ", " + pattern.name, place);
        }
    };
    all("float", count<float, Operation::add>);
    all("double", count<double, Operation::add>);
    all("64 bits", count<unsigned long long, Operation::add>);
    all("most of 64 bits", count<unsigned long long, Operation::most>);
    all("and of 64 bits", count<unsigned long long, Operation::conjunction>);
}
