// Counts atomics on another block's shared memory as requests/sectors of loads, stores and
// atomics. An H200 gives the same counts (l1tex__t_{requests,sectors}_pipe_lsu_mem_dshared_op_*).
// simulator only
// expect: add: 0/0 0/0 1/4, 0/0 0/0 1/32, 0/0 0/0 1/4, 0/0 0/0 1/4, 0/0 0/0 1/8, 0/0 0/0 1/6, 0/0 0/0 1/12
// expect: inc, used: 0/0 0/0 1/4, 0/0 0/0 1/32, 0/0 0/0 1/4, 0/0 0/0 1/4, 0/0 0/0 1/8, 0/0 0/0 1/6, 0/0 0/0 1/12
// expect: float: 1/4 0/0 1/4, 32/32 0/0 32/32, 2/4 0/0 2/4, 4/4 0/0 4/4, 5/8 0/0 5/8, 3/6 0/0 3/6, 12/12 0/0 12/12
// expect: double: 1/8 0/0 1/8, 32/32 0/0 32/32, 2/8 0/0 2/8, 4/8 0/0 4/8, 5/12 0/0 5/12, 3/9 0/0 3/9, 12/12 0/0 12/12
// expect: add of 64 bits: 0/0 0/0 1/8, 0/0 0/0 1/32, 0/0 0/0 1/8, 0/0 0/0 1/8, 0/0 0/0 1/12, 0/0 0/0 1/9, 0/0 0/0 1/12
// expect: max of 64 bits: 1/8 1/8 0/0, 1/1 1/1 0/0, 1/4 1/4 0/0, 1/2 1/2 0/0, 1/8 1/8 0/0, 1/3 1/3 0/0, 1/1 1/1 0/0
// expect: cas of 64 bits: 0/0 0/0 1/8, 0/0 0/0 1/32, 0/0 0/0 1/8, 0/0 0/0 1/8, 0/0 0/0 1/12, 0/0 0/0 1/9, 0/0 0/0 1/12
// If all lanes evidently use one address, a single lane may add the sum for all lanes.
// expect: one word, add: 0/0 0/0 1/1
// expect: one word, inc: 0/0 0/0 1/32
// expect-stderr: racecheck: not atomic
#include "../clusters.h"

#include "texture_counters.h"

using Wide = unsigned long long;

__device__ int word_of(int pattern, int lane) {
    switch (pattern) {
        case 0: return lane;
        case 1: return 0;
        case 2: return lane / 2;
        case 3: return lane % 8;
        case 4: return lane < 5 ? 0 : lane;
        case 5: return lane * 7 % 12;
        default: return 0;
    }
}

template <class T, class Change>
__device__ void change_words(T* out, int pattern, Change change) {
    __shared__ T words[32];
    words[threadIdx.x] = 0;
    cluster_sync();
    const bool takes_part = pattern < 6 || (0x00ff00f0u >> threadIdx.x & 1);
    if (rank_in_cluster() == 0 && takes_part)
        change(mapped_pointer(words, 1) + word_of(pattern, threadIdx.x), out + threadIdx.x);
    cluster_sync();
    if (rank_in_cluster() == 1) out[32 + threadIdx.x] = words[threadIdx.x];
}

__global__ void add(unsigned* out, int pattern) {
    change_words(out, pattern, [](unsigned* to, unsigned*) { atomicAdd(to, threadIdx.x + 3); });
}
__global__ void inc_used(unsigned* out, int pattern) {
    change_words(out, pattern, [](unsigned* to, unsigned* old) { *old = atomicInc(to, 100); });
}
__global__ void add_floats(float* out, int pattern) {
    change_words(out, pattern, [](float* to, float*) { atomicAdd(to, 1.f); });
}
__global__ void add_doubles(double* out, int pattern) {
    change_words(out, pattern, [](double* to, double*) { atomicAdd(to, 1.); });
}
__global__ void add_wide(Wide* out, int pattern) {
    change_words(out, pattern, [](Wide* to, Wide*) { atomicAdd(to, Wide{threadIdx.x} + 5); });
}
__global__ void max_wide(Wide* out, int pattern) {
    change_words(out, pattern, [](Wide* to, Wide*) { atomicMax(to, Wide{threadIdx.x}); });
}
__global__ void cas_wide(Wide* out, int pattern) {
    change_words(out, pattern, [](Wide* to, Wide*) { atomicCAS(to, 0, Wide{threadIdx.x} + 1); });
}
template <bool adds>
__global__ void one_word(unsigned* out) {
    __shared__ unsigned word;
    if (threadIdx.x == 0) word = 0;
    cluster_sync();
    unsigned* const to = mapped_pointer(&word, rank_in_cluster() ^ 1);
    if (rank_in_cluster() == 0) adds ? atomicAdd(to, 3u) : atomicInc(to, 100);
    cluster_sync();
    if (threadIdx.x == 0) out[blockIdx.x] = word;
}

/// Returns the counters of one launch as requests/sectors, such as "1/4 0/0 1/4".
template <class... Parameters, class... Arguments>
std::string counts_of(void (*kernel)(Parameters...), Arguments... arguments) {
    MUST(cudaDeviceSynchronize());
    FIND(coalesceResetCounters)();
    MUST(launch_clusters(kernel, dim3(2), dim3(32), dim3(2), 0, arguments...));
    MUST(cudaDeviceSynchronize());
    std::string json, text;
    FIND(coalesceReportJson)
    ([](const char* part, size_t size,
        void* user) { static_cast<std::string*>(user)->append(part, size); },
     &json);
    for (const char* kind : {"cluster_load", "cluster_store", "cluster_atomic"}) {
        const std::string name = kind;
        text += (text.empty() ? "" : " ") + std::to_string(counted(json, name + "_requests")) +
                "/" + std::to_string(counted(json, name + "_sectors"));
    }
    return text;
}

template <class T>
void show_patterns(const char* name, void (*kernel)(T*, int)) {
    const DeviceArray<T> out(64);
    std::string line;
    for (int pattern = 0; pattern < 7; ++pattern)
        line += (pattern ? ", " : "") + counts_of(kernel, static_cast<T*>(out), pattern);
    std::printf("%s: %s\n", name, line.c_str());
}

int main() {
    show_patterns("add", add);
    show_patterns("inc, used", inc_used);
    show_patterns("float", add_floats);
    show_patterns("double", add_doubles);
    show_patterns("add of 64 bits", add_wide);
    show_patterns("max of 64 bits", max_wide);
    show_patterns("cas of 64 bits", cas_wide);
    const DeviceArray<unsigned> out(2);
    unsigned* words = out;
    std::printf("one word, add: %s\n", counts_of(one_word<true>, words).c_str());
    std::printf("one word, inc: %s\n", counts_of(one_word<false>, words).c_str());
}
