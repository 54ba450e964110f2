// Tests __constant__ and __device__ variables, with and without initialisation by the host.
// expect: initialised constants: ok
// expect: constants from the host: ok
// expect: a different address in every lane: ok
// expect: initialised variables: ok
// expect: variables written by kernels: ok
// expect: addresses of variables: ok
// expect: constants through pointers: ok
// expect: sizes of symbols: ok
#include "check.h"

struct Settings {
    int scale;
    double offset;
    char name[6];
};

__constant__ int primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
__constant__ Settings settings = {3, 0.5, "hello"};
__constant__ float weights[100];
__device__ int counter = 41;
__device__ double table[3][4] = {{1, 2, 3, 4}, {5.5}, {9, 10}};
__device__ int* pointer_to_counter = &counter;
__device__ int results[64];

__global__ void initialised(int* out) {
    const int i = threadIdx.x;
    out[i] = primes[i % 8] * settings.scale + static_cast<int>(settings.offset * 4) +
             settings.name[i % 5];
}
__global__ void from_host(float* out) {
    out[threadIdx.x] = weights[7] * threadIdx.x;
}
__global__ void divergent(float* out) {
    out[threadIdx.x] = weights[threadIdx.x * 37 % 100];
}
__global__ void variables(double* out) {
    out[threadIdx.x] = table[threadIdx.x / 4][threadIdx.x % 4] + counter;
}
__global__ void write_variables() {
    results[threadIdx.x] = threadIdx.x * 2;
    if (threadIdx.x == 0) counter = 50;
}
__global__ void through_pointer(int* out) {
    atomicAdd(pointer_to_counter, 1);
    out[0] = pointer_to_counter == &counter;
}
__device__ __noinline__ int at(const int* values, int i) {
    return values[i];
}
__global__ void generic(int* out, const int* here) {
    out[threadIdx.x] = at(threadIdx.x % 2 ? primes : here, threadIdx.x % 8);
}

int main() {
    DeviceArray<int> ints(64);
    initialised<<<1, 64>>>(ints);
    const int numbers[] = {2, 3, 5, 7, 11, 13, 17, 19};
    expect_equal("initialised constants", ints.read(), for_threads<int>(64, [&](int i) {
                     return numbers[i % 8] * 3 + 2 + "hello"[i % 5];
                 }));

    const std::vector<float> host = for_threads<float>(100, [](int i) { return i * 0.25f; });
    MUST(cudaMemcpyToSymbol(weights, host.data(), 100 * sizeof(float)));
    const float seventh = 1000;
    MUST(cudaMemcpyToSymbol(weights, &seventh, sizeof seventh, 7 * sizeof(float)));
    DeviceArray<float> floats(64);
    from_host<<<1, 64>>>(floats);
    expect_equal("constants from the host", floats.read(),
                 for_threads<float>(64, [](int i) { return 1000.0f * i; }));
    divergent<<<1, 64>>>(floats);
    expect_equal("a different address in every lane", floats.read(),
                 for_threads<float>(
                     64, [](int i) { return i * 37 % 100 == 7 ? 1000.0f : i * 37 % 100 * 0.25f; }));

    const double values[] = {1, 2, 3, 4, 5.5, 0, 0, 0, 9, 10, 0, 0};
    DeviceArray<double> doubles(12);
    variables<<<1, 12>>>(doubles);
    expect_equal("initialised variables", doubles.read(),
                 for_threads<double>(12, [&](int i) { return values[i] + 41; }));

    write_variables<<<1, 64>>>();
    std::vector<int> got(65);
    MUST(cudaMemcpyFromSymbol(got.data(), results, 64 * sizeof(int)));
    MUST(cudaMemcpyFromSymbol(&got[64], counter, sizeof(int)));
    expect_equal("variables written by kernels", got,
                 for_threads<int>(65, [](int i) { return i == 64 ? 50 : i * 2; }));

    through_pointer<<<1, 1>>>(ints);
    void* address = nullptr;
    MUST(cudaGetSymbolAddress(&address, counter));
    int count = 0;
    MUST(cudaMemcpy(&count, address, sizeof count, cudaMemcpyDeviceToHost));
    expect_equal<int>("addresses of variables", {count, ints.read()[0]}, {51, 1});

    DeviceArray<int> other(for_threads<int>(8, [](int i) { return -i; }));
    generic<<<1, 64>>>(ints, other);
    expect_equal("constants through pointers", ints.read(),
                 for_threads<int>(64, [&](int i) { return i % 2 ? numbers[i % 8] : -(i % 8); }));

    std::size_t bytes[2];
    MUST(cudaGetSymbolSize(&bytes[0], weights));
    MUST(cudaGetSymbolSize(&bytes[1], settings));
    expect_equal<std::size_t>("sizes of symbols", {bytes[0], bytes[1]}, {400, sizeof(Settings)});
}
