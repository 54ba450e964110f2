// Counts sectors and wavefronts of a warp's atomics, which ptxas may combine. An H200 gives the
// same counts (l1tex__t_sectors_pipe_lsu_mem_global_op_{atom,red}.sum,
// l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum), including for 60 random patterns.
// simulator only
// expect: one to a parameter: 1 sectors
// expect: one to a parameter, used: 1 sectors
// expect: a parameter to a parameter, used: 1 sectors
// expect: the lane to a parameter: 1 sectors
// expect: a float to a parameter: 32 sectors
// expect: the largest lane: 1 sectors
// expect: one of 64 bits: 1 sectors
// expect: one by some lanes, used: 1 sectors
// expect: one to a loaded place: 32 sectors
// expect: one to a shared variable: 1 wavefronts
// expect: the lane to a shared variable: 1 wavefronts
// expect: one to a shared variable, used: 1 wavefronts
// expect: one to a loaded place in shared memory: 1 wavefronts
// expect: one to four words of a bank: 4 wavefronts
// expect: one to a loaded place in shared memory, used: 32 wavefronts
// expect: two to a loaded place in shared memory: 32 wavefronts
#include "texture_counters.h"

__global__ void one(int* data) {
    atomicAdd(data, 1);
}
__global__ void one_used(int* data) {
    data[1 + threadIdx.x] = atomicAdd(data, 1);
}
__global__ void parameter_used(int* data, int n) {
    data[1 + threadIdx.x] = atomicAdd(data, n);
}
__global__ void lane(int* data) {
    atomicAdd(data, int(threadIdx.x));
}
__global__ void add_float(float* data) {
    atomicAdd(data, 1.0f);
}
__global__ void largest(int* data) {
    atomicMax(data, int(threadIdx.x));
}
__global__ void one_of_64_bits(unsigned long long* data) {
    atomicAdd(data, 1ull);
}
__global__ void some_lanes_used(int* data, int n) {
    if (int(threadIdx.x) < n) data[1 + threadIdx.x] = atomicAdd(data, 1);
}
__global__ void loaded_place(int* data, const int* place) {
    atomicAdd(data + place[threadIdx.x], 1);
}
__global__ void shared_variable(int* data) {
    __shared__ int s;
    if (threadIdx.x == 0) s = 0;
    __syncwarp();
    atomicAdd(&s, 1);
    __syncwarp();
    *data = s;
}
__global__ void lane_to_shared_variable(int* data) {
    __shared__ int s;
    if (threadIdx.x == 0) s = 0;
    __syncwarp();
    atomicAdd(&s, int(threadIdx.x));
    __syncwarp();
    *data = s;
}
__global__ void shared_variable_used(int* data) {
    __shared__ int s;
    if (threadIdx.x == 0) s = 0;
    __syncwarp();
    data[threadIdx.x] = atomicAdd(&s, 1);
}
template <int value, bool is_used>
__global__ void shared_place(int* data, const int* place) {
    __shared__ int s[1024];
    for (int k = threadIdx.x; k < 1024; k += 32) s[k] = 0;
    __syncwarp();
    const int old = atomicAdd(s + place[threadIdx.x], value);
    __syncwarp();
    data[threadIdx.x] = s[32 * threadIdx.x] + (is_used ? old : 0);
}

/// Prints the counters of a launch under the given name.
template <class Launch>
void count(const char* what, const char* counter, const char* unit, Launch launch) {
    MUST(cudaDeviceSynchronize());
    FIND(coalesceResetCounters)();
    launch();
    MUST(cudaDeviceSynchronize());
    std::string json;
    FIND(coalesceReportJson)
    ([](const char* text, size_t size, void* user) { static_cast<std::string*>(user)->append(text, size); }, &json);
    std::printf("%s: %d %s\n", what, counted(json, counter), unit);
}

int main() {
    int *data, *place;
    MUST(cudaMalloc(&data, 4096));
    MUST(cudaMemset(data, 0, 4096));
    MUST(cudaMalloc(&place, 256));
    int places[64] = {};  // index 0 for all lanes, then four words of the same bank
    for (int k = 32; k < 64; ++k) places[k] = k % 4 * 32;
    MUST(cudaMemcpy(place, places, sizeof places, cudaMemcpyHostToDevice));
    const auto global = [](const char* what, auto launch) { count(what, "atomic_sectors", "sectors", launch); };
    const auto shared = [](const char* what, auto launch) {
        count(what, "shared_atomic_wavefronts", "wavefronts", launch);
    };
    global("one to a parameter", [&] { one<<<1, 32>>>(data); });
    global("one to a parameter, used", [&] { one_used<<<1, 32>>>(data); });
    global("a parameter to a parameter, used", [&] { parameter_used<<<1, 32>>>(data, 3); });
    global("the lane to a parameter", [&] { lane<<<1, 32>>>(data); });
    global("a float to a parameter", [&] { add_float<<<1, 32>>>(reinterpret_cast<float*>(data)); });
    global("the largest lane", [&] { largest<<<1, 32>>>(data); });
    global("one of 64 bits", [&] { one_of_64_bits<<<1, 32>>>(reinterpret_cast<unsigned long long*>(data)); });
    global("one by some lanes, used", [&] { some_lanes_used<<<1, 32>>>(data, 20); });
    global("one to a loaded place", [&] { loaded_place<<<1, 32>>>(data, place); });
    shared("one to a shared variable", [&] { shared_variable<<<1, 32>>>(data); });
    shared("the lane to a shared variable", [&] { lane_to_shared_variable<<<1, 32>>>(data); });
    shared("one to a shared variable, used", [&] { shared_variable_used<<<1, 32>>>(data); });
    shared("one to a loaded place in shared memory", [&] { shared_place<1, false><<<1, 32>>>(data, place); });
    shared("one to four words of a bank", [&] { shared_place<1, false><<<1, 32>>>(data, place + 32); });
    shared("one to a loaded place in shared memory, used", [&] { shared_place<1, true><<<1, 32>>>(data, place); });
    shared("two to a loaded place in shared memory", [&] { shared_place<2, false><<<1, 32>>>(data, place); });
}
