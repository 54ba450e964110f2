// not built by clang: it has no __managed__ for NVIDIA's GPUs
// Tests host accesses to __device__, __constant__ and __managed__ variables.
// expect: initial values: 1 2 3 4
// expect: size of an array: 16
// expect: copied to a symbol, at an offset: 1 20 30 4
// expect: a kernel reads a constant: 2.5
// expect: written through the symbol's address: 7
// expect: a static variable in a namespace: 77
// expect: managed, before any kernel: 5
// expect: managed, after a kernel: 15
// expect: managed, after the host wrote: 110
// expect: &managed is what kernels use: yes
// expect: too many bytes: cudaErrorInvalidValue
// expect: an offset too far: cudaErrorInvalidValue
// expect: not a symbol: cudaErrorInvalidSymbol
// expect: the wrong direction: cudaErrorInvalidMemcpyDirection
// expect-stderr: apicheck: cudaErrorInvalidValue from cudaMemcpyToSymbol
// expect-stderr: apicheck: cudaErrorInvalidSymbol from cudaMemcpyToSymbol
// expect-stderr: apicheck: cudaErrorInvalidMemcpyDirection from cudaMemcpyFromSymbol
#include "api_check.h"

__device__ int numbers[4] = {1, 2, 3, 4};
__constant__ float factor;
__managed__ int shared_count = 5;
namespace inside {
static __device__ int hidden = 70;
}

__global__ void use_constant(float* out) {
    *out = factor;
}
__global__ void add_to_managed(int by) {
    shared_count += by;
}
__global__ void add_to_hidden() {
    inside::hidden += 7;
}

static void print_numbers(const char* what) {
    int host[4];
    need(cudaMemcpyFromSymbol(host, numbers, sizeof host));
    std::printf("%s: %d %d %d %d\n", what, host[0], host[1], host[2], host[3]);
}

int main() {
    print_numbers("initial values");
    size_t bytes = 0;
    need(cudaGetSymbolSize(&bytes, numbers));
    std::printf("size of an array: %zu\n", bytes);
    const int two[] = {20, 30};
    need(cudaMemcpyToSymbol(numbers, two, sizeof two, sizeof(int)));
    print_numbers("copied to a symbol, at an offset");

    float *out, host_float = 2.5f;
    need(cudaMalloc(&out, sizeof(float)));
    need(cudaMemcpyToSymbolAsync(factor, &host_float, sizeof host_float, 0, cudaMemcpyHostToDevice,
                                 0));
    use_constant<<<1, 1>>>(out);
    host_float = 0;
    need(cudaMemcpy(&host_float, out, sizeof host_float, cudaMemcpyDeviceToHost));
    std::printf("a kernel reads a constant: %g\n", host_float);
    need(cudaFree(out));

    int *address, host_int = 7;
    need(cudaGetSymbolAddress(reinterpret_cast<void**>(&address), numbers));
    need(cudaMemcpy(address + 3, &host_int, sizeof host_int, cudaMemcpyHostToDevice));
    host_int = 0;
    need(cudaMemcpyFromSymbol(&host_int, numbers, sizeof host_int, 3 * sizeof(int)));
    std::printf("written through the symbol's address: %d\n", host_int);
    add_to_hidden<<<1, 1>>>();
    need(cudaMemcpyFromSymbol(&host_int, inside::hidden, sizeof host_int));
    std::printf("a static variable in a namespace: %d\n", host_int);

    std::printf("managed, before any kernel: %d\n", shared_count);
    add_to_managed<<<1, 1>>>(10);
    need(cudaDeviceSynchronize());
    std::printf("managed, after a kernel: %d\n", shared_count);
    shared_count = 100;
    add_to_managed<<<1, 1>>>(10);
    need(cudaDeviceSynchronize());
    std::printf("managed, after the host wrote: %d\n", shared_count);
    void* managed;
    need(cudaGetSymbolAddress(&managed, shared_count));
    fact("&managed is what kernels use", managed == &shared_count);

    result("too many bytes", cudaMemcpyToSymbol(numbers, two, 17));
    result("an offset too far", cudaMemcpyToSymbol(numbers, two, 8, 12));
    result("not a symbol", cudaMemcpyToSymbol(two, two, 8));
    result("the wrong direction",
           cudaMemcpyFromSymbol(&host_int, numbers, 4, 0, cudaMemcpyHostToDevice));
}
