// Tests malloc, free, new and delete in kernels.
// expect: every thread gets its own memory: ok
// expect: a list that outlives its kernel: ok
// expect: new and delete: ok
// expect: freed memory is reused: ok
// expect: a request that is too large returns a null pointer: ok
// expect: the heap size set before the first allocation takes effect: ok
#include "check.h"

constexpr int kThreads = 64;

__global__ void own(int* out) {
    int* mine = static_cast<int*>(malloc((threadIdx.x + 1) * sizeof(int)));
    for (int i = 0; i <= static_cast<int>(threadIdx.x); ++i)
        mine[i] = i + static_cast<int>(threadIdx.x);
    __syncthreads();
    int sum = 0;
    for (int i = 0; i <= static_cast<int>(threadIdx.x); ++i) sum += mine[i];
    free(mine);
    out[threadIdx.x] = sum;
}

struct Node {
    int value;
    Node* next;
};
__device__ Node* list;

__global__ void push(int count) {
    for (int i = 0; i < count; ++i) {
        Node* node = static_cast<Node*>(malloc(sizeof(Node)));
        *node = {i, list};
        list = node;
    }
}
__global__ void pop(int* out) {
    int sum = 0, length = 0;
    while (list) {
        Node* node = list;
        list = node->next;
        sum += node->value, ++length;
        free(node);
    }
    out[0] = sum, out[1] = length;
}

struct Counter {
    int* total;
    __device__ explicit Counter(int* t) : total(t) { atomicAdd(total, 1); }
    __device__ virtual ~Counter() { atomicAdd(total, 100); }
    __device__ virtual int weight() const { return 5; }
};
struct Heavier : Counter {
    using Counter::Counter;
    __device__ int weight() const override { return 7; }
};
__global__ void objects(int* out) {
    Counter* counter = threadIdx.x % 2 ? new Heavier(&out[0]) : new Counter(&out[0]);
    atomicAdd(&out[1], counter->weight());
    delete counter;
    int* array = new int[10];
    array[9] = 1;
    atomicAdd(&out[2], array[9]);
    delete[] array;
}

/// Allocates and frees in a loop, which would exhaust the 8 MB heap if free had no effect.
__global__ void rounds(int* out) {
    int got = 0;
    for (int i = 0; i < 100; ++i) {
        void* memory = malloc(1 << 20);
        got += memory != nullptr;
        free(memory);
    }
    out[0] = got;
}
__global__ void too_much(int* out) {
    out[0] = malloc(1ull << 40) == nullptr;
}
/// Tries to allocate more memory than the default heap has.
__global__ void much(int* out) {
    void* memory = malloc(12 << 20);
    out[0] = memory != nullptr;
    free(memory);
}

int main() {
    constexpr size_t heap_bytes = 16 << 20;
    const cudaError_t set = cudaDeviceSetLimit(cudaLimitMallocHeapSize, heap_bytes);
    DeviceArray<int> sums(kThreads);
    own<<<1, kThreads>>>(sums);
    expect_equal("every thread gets its own memory", sums.read(),
                 for_threads<int>(kThreads, [](int i) { return i * (i + 1) / 2 + i * (i + 1); }));
    DeviceArray<int> popped(2);
    push<<<1, 1>>>(50);
    push<<<1, 1>>>(30);
    pop<<<1, 1>>>(popped);
    expect_equal<int>("a list that outlives its kernel", popped.read(),
                      {50 * 49 / 2 + 30 * 29 / 2, 80});
    DeviceArray<int> counts(3);
    objects<<<1, kThreads>>>(counts);
    expect_equal<int>("new and delete", counts.read(), {101 * kThreads, 6 * kThreads, kThreads});
    DeviceArray<int> got(1), failed(1);
    rounds<<<1, 1>>>(got);
    expect_equal<int>("freed memory is reused", got.read(), {100});
    too_much<<<1, 1>>>(failed);
    expect_equal<int>("a request that is too large returns a null pointer", failed.read(), {1});
    DeviceArray<int> large(1);
    much<<<1, 1>>>(large);
    size_t bytes = 0;
    cudaDeviceGetLimit(&bytes, cudaLimitMallocHeapSize);
    const cudaError_t too_late = cudaDeviceSetLimit(cudaLimitMallocHeapSize, 2 * heap_bytes);
    expect_equal<int>("the heap size set before the first allocation takes effect",
                      {large.read()[0], bytes == heap_bytes, set, too_late},
                      {1, true, cudaSuccess, cudaErrorInvalidValue});
}
