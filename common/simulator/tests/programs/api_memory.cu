// Tests allocating, copying and setting device memory, and mistakes that these calls reject.
// expect: nothing to allocate: cudaSuccess
// expect: ... gives a null pointer: yes
// expect: a null target: cudaErrorInvalidValue
// expect: more than any device has: cudaErrorMemoryAllocation
// expect: freeing a null pointer: cudaSuccess
// expect: pointers are aligned to 256: yes
// expect: host to device and back: yes
// expect: device to device: yes
// expect: cudaMemcpyDefault finds the direction: yes
// expect: memset: yes
// expect: a kernel sees what was copied: yes
// expect: one byte too many: cudaErrorInvalidValue
// expect: memset one byte too many: cudaErrorInvalidValue
// expect: memset of host memory: cudaErrorInvalidValue
// expect: device to host, both sides swapped: cudaErrorInvalidValue
// expect: host to device, into host memory: cudaErrorInvalidValue
// expect: no such direction: cudaErrorInvalidMemcpyDirection
// expect: zero bytes between null pointers: cudaSuccess
// expect: freeing the middle: cudaErrorInvalidValue
// expect: freeing host memory: cudaErrorInvalidValue
// expect: freeing: cudaSuccess
// expect: freeing twice: cudaErrorInvalidValue
// expect: copying from freed memory: cudaErrorInvalidValue
// expect: free memory is at most all memory: yes
// expect: ... and shrinks when memory is allocated: yes
// expect: a thousand times 64 MiB, one after the other: cudaSuccess
// expect-stderr: apicheck: cudaErrorInvalidValue from cudaMalloc
// expect-stderr: apicheck: cudaErrorInvalidValue from cudaMemcpy
// expect-stderr: apicheck: cudaErrorInvalidValue from cudaMemset
// expect-stderr: apicheck: cudaErrorInvalidMemcpyDirection from cudaMemcpy
// expect-stderr: apicheck: cudaErrorInvalidValue from cudaFree
#include <cstring>
#include <vector>

#include "api_check.h"

__global__ void double_all(int* data, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) data[i] *= 2;
}

static std::vector<int> read(const int* device, int count) {
    std::vector<int> host(count, -1);
    need(cudaMemcpy(host.data(), device, count * sizeof(int), cudaMemcpyDeviceToHost));
    return host;
}

static void copies() {
    const int count = 1000;
    const size_t bytes = count * sizeof(int);
    std::vector<int> host(count);
    for (int i = 0; i < count; ++i) host[i] = i * 7 - 3;
    int *a, *b;
    need(cudaMalloc(&a, bytes));
    need(cudaMalloc(&b, bytes));
    fact("pointers are aligned to 256",
         reinterpret_cast<size_t>(a) % 256 == 0 && reinterpret_cast<size_t>(b) % 256 == 0);
    need(cudaMemcpy(a, host.data(), bytes, cudaMemcpyHostToDevice));
    fact("host to device and back", read(a, count) == host);
    need(cudaMemcpy(b, a, bytes, cudaMemcpyDeviceToDevice));
    fact("device to device", read(b, count) == host);
    std::vector<int> back(count);
    need(cudaMemset(b, 0, bytes));
    need(cudaMemcpy(b, host.data(), bytes, cudaMemcpyDefault));
    need(cudaMemcpy(back.data(), b, bytes, cudaMemcpyDefault));
    fact("cudaMemcpyDefault finds the direction", back == host);
    need(cudaMemset(b, 0x11, bytes));
    fact("memset", read(b, count) == std::vector<int>(count, 0x11111111));
    double_all<<<4, 256>>>(a, count);
    for (int& value : host) value *= 2;
    fact("a kernel sees what was copied", read(a, count) == host);

    result("one byte too many", cudaMemcpy(a, host.data(), bytes + 1, cudaMemcpyHostToDevice));
    result("memset one byte too many", cudaMemset(a, 0, bytes + 1));
    result("memset of host memory", cudaMemset(host.data(), 0, bytes));
    result("device to host, both sides swapped",
           cudaMemcpy(a, host.data(), bytes, cudaMemcpyDeviceToHost));
    result("host to device, into host memory",
           cudaMemcpy(host.data(), a, bytes, cudaMemcpyHostToDevice));
    result("no such direction", cudaMemcpy(a, b, bytes, static_cast<cudaMemcpyKind>(9)));
    result("zero bytes between null pointers",
           cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice));
    result("freeing the middle", cudaFree(a + 1));
    result("freeing host memory", cudaFree(host.data()));
    result("freeing", cudaFree(a));
    result("freeing twice", cudaFree(a));
    result("copying from freed memory", cudaMemcpy(host.data(), a, 4, cudaMemcpyDeviceToHost));
    need(cudaFree(b));
}

static void amounts() {
    size_t before = 0, after = 0, total = 0;
    need(cudaMemGetInfo(&before, &total));
    fact("free memory is at most all memory", before <= total);
    void* block;
    need(cudaMalloc(&block, size_t{256} << 20));
    need(cudaMemGetInfo(&after, &total));
    fact("... and shrinks when memory is allocated", after + (size_t{200} << 20) < before);
    need(cudaFree(block));
    cudaError_t error = cudaSuccess;
    for (int i = 0; i < 1000 && error == cudaSuccess; ++i) {
        error = cudaMalloc(&block, size_t{64} << 20);
        if (error == cudaSuccess) error = cudaFree(block);
    }
    result("a thousand times 64 MiB, one after the other", error);
}

int main() {
    void* nothing = &nothing;
    result("nothing to allocate", cudaMalloc(&nothing, 0));
    fact("... gives a null pointer", nothing == nullptr);
    result("a null target", cudaMalloc(static_cast<void**>(nullptr), 4));
    result("more than any device has", cudaMalloc(&nothing, size_t{1} << 50));
    result("freeing a null pointer", cudaFree(nullptr));
    copies();
    amounts();
}
