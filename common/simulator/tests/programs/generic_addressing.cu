// Tests generic pointers, whose value determines the state space of an access.
// expect: one function, three kinds of memory: ok
// expect: a different kind in every lane: ok
// expect: what kind of memory: ok
// expect: shared addresses and back: ok
// expect: memcpy and memset: ok
// expect: pointers in memory: ok
// expect: managed and pinned memory: ok
// expect: a parameter by its address: ok
#include "check.h"

__device__ int in_global[32];
__constant__ int in_constant[4] = {10, 20, 30, 40};

__device__ __noinline__ int sum(const int* values, int count) {
    int total = 0;
    for (int i = 0; i < count; ++i) total += values[i];
    return total;
}
__device__ __noinline__ void fill(int* values, int count, int with) {
    for (int i = 0; i < count; ++i) values[i] = with + i;
}

__global__ void three_kinds(int* out) {
    __shared__ int in_shared[32];
    int in_local[4];
    const int i = threadIdx.x;
    fill(in_local, 4, i);
    if (i < 8)
        fill(in_global + 4 * i, 4, 100 + i);
    else if (i < 16)
        fill(in_shared + 4 * (i - 8), 4, 200 + i);
    __syncthreads();
    out[i] = sum(in_local, 4) + sum(in_global + i % 8 * 4, 4) * 10 +
             sum(in_shared + i % 8 * 4, 4) * 100 + sum(in_constant, 4);
}

__global__ void mixed(int* out) {
    __shared__ int in_shared[32];
    int in_local[2] = {static_cast<int>(threadIdx.x), 5};
    in_shared[threadIdx.x] = 1000 + threadIdx.x;
    in_global[threadIdx.x] = 2000 + threadIdx.x;
    __syncthreads();
    const int* places[] = {in_local, in_shared + threadIdx.x, in_global + threadIdx.x, in_constant};
    const int* chosen = places[threadIdx.x % 4];
    out[threadIdx.x] = sum(chosen, 1);
    if (threadIdx.x % 4 < 3) fill(const_cast<int*>(chosen), 1, 7);
    __syncthreads();
    out[threadIdx.x] = out[threadIdx.x] * 10 + sum(chosen, 1);
}

__device__ __noinline__ int kinds(const void* p) {
    return __isGlobal(p) + 2 * __isShared(p) + 4 * __isLocal(p) + 8 * __isConstant(p);
}
__global__ void kind_of(int* out) {
    __shared__ int in_shared[1];
    volatile int in_local[1] = {3};
    in_shared[0] = 1;
    out[0] = kinds(in_global);
    out[1] = kinds(in_shared);
    out[2] = kinds(const_cast<int*>(in_local));
    out[3] = kinds(out);
    out[4] = kinds(in_constant) >= 8;
}

__global__ void shared_and_back(int* out) {
    __shared__ int in_shared[64];
    in_shared[threadIdx.x] = threadIdx.x * 9;
    __syncthreads();
    const unsigned address =
        static_cast<unsigned>(__cvta_generic_to_shared(&in_shared[63 - threadIdx.x]));
    int value;
    asm volatile("ld.shared.s32 %0, [%1];" : "=r"(value) : "r"(address) : "memory");
    const int* again = static_cast<const int*>(__cvta_shared_to_generic(address));
    out[threadIdx.x] = value + (again == &in_shared[63 - threadIdx.x]);
}

__global__ void copies(char* out, const char* in, int bytes) {
    __shared__ char tile[256];
    char mine[64];
    memset(tile, 'x', sizeof tile);
    memcpy(tile + 3, in, bytes);
    memcpy(mine, tile + 1, sizeof mine);
    memcpy(out, mine, sizeof mine);
    memset(out + 64, 'y', bytes);
}

struct Link {
    Link* next;
    int value;
};
__global__ void links(int* out) {
    __shared__ Link shared[2];
    Link local[2];
    local[0] = {&local[1], 1};
    local[1] = {&shared[0], 20};
    shared[0] = {&shared[1], 300};
    shared[1] = {nullptr, 4000};
    int total = 0;
    for (const Link* link = local; link; link = link->next) total += link->value;
    *out = total;
}

__global__ void add_one(int* values) {
    values[threadIdx.x] += 1;
}

struct Four {
    int values[4];
};
__global__ void parameter(int* out, const __grid_constant__ Four four) {
    out[threadIdx.x] = sum(four.values, threadIdx.x % 5);
}

void test_parameter() {
    DeviceArray<int> out(32);
    parameter<<<1, 32>>>(out, Four{{1, 10, 100, 1000}});
    const int sums[] = {0, 1, 11, 111, 1111};
    expect_equal("a parameter by its address", out.read(),
                 for_threads<int>(32, [&](int i) { return sums[i % 5]; }));
}

int main() {
    DeviceArray<int> out(64);
    const auto result = [&](int count) {
        std::vector<int> all = out.read();
        all.resize(count);
        return all;
    };
    three_kinds<<<1, 32>>>(out);
    expect_equal("one function, three kinds of memory", result(32), for_threads<int>(32, [](int i) {
                     const auto run = [](int first) { return 4 * first + 6; };
                     return run(i) + run(100 + i % 8) * 10 + run(208 + i % 8) * 100 + 100;
                 }));
    mixed<<<1, 32>>>(out);
    expect_equal("a different kind in every lane", result(32), for_threads<int>(32, [](int i) {
                     const int first[] = {i, 1000 + i, 2000 + i, 10};
                     return first[i % 4] * 10 + (i % 4 == 3 ? 10 : 7);
                 }));
    kind_of<<<1, 1>>>(out);
    expect_equal<int>("what kind of memory", result(5), {1, 2, 4, 1, 1});
    shared_and_back<<<1, 64>>>(out);
    expect_equal("shared addresses and back", result(64),
                 for_threads<int>(64, [](int i) { return (63 - i) * 9 + 1; }));
    {
        const auto text =
            for_threads<char>(40, [](int i) { return static_cast<char>('A' + i % 26); });
        DeviceArray<char> in(text), to(104);
        copies<<<1, 1>>>(to, in, 40);
        expect_equal("memcpy and memset", to.read(), for_threads<char>(104, [&](int i) {
                         return i >= 64 ? 'y' : i >= 2 && i < 42 ? text[i - 2] : 'x';
                     }));
    }
    links<<<1, 1>>>(out);
    expect_equal<int>("pointers in memory", result(1), {4321});
    {
        int *managed, *pinned;
        MUST(cudaMallocManaged(&managed, 32 * sizeof(int)));
        MUST(cudaMallocHost(&pinned, 32 * sizeof(int)));
        for (int i = 0; i < 32; ++i) managed[i] = i, pinned[i] = -i;
        add_one<<<1, 32>>>(managed);
        add_one<<<1, 32>>>(pinned);
        MUST(cudaDeviceSynchronize());
        std::vector<int> got(managed, managed + 32);
        got.insert(got.end(), pinned, pinned + 32);
        expect_equal("managed and pinned memory", got,
                     for_threads<int>(64, [](int i) { return i < 32 ? i + 1 : 33 - i; }));
        MUST(cudaFree(managed));
        MUST(cudaFreeHost(pinned));
    }
    test_parameter();
}
