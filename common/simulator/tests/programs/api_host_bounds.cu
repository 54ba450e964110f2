// Tests copies past the end of host memory from malloc and new, and valid copies that look alike.
// expect: past the end of a vector: cudaErrorInvalidValue
// expect: past the end of a large block: cudaErrorInvalidValue
// expect: past the end, from its middle: cudaErrorInvalidValue
// expect: rows past the end: cudaErrorInvalidValue
// expect: all of a vector: cudaSuccess
// expect: from the middle to the end: cudaSuccess
// expect: from the middle of a large block: cudaSuccess
// expect: rows up to the end: cudaSuccess
// expect: an array on the stack: cudaSuccess
// expect: aligned memory: cudaSuccess
// expect: memory that has grown: cudaSuccess
// expect-stderr: ends 48 bytes past
// expect-stderr: apicheck: cudaErrorInvalidValue from cudaMemcpy
// expect-stderr: apicheck: cudaErrorInvalidValue from cudaMemcpy2D
#include <cstdlib>
#include <vector>

#include "api_check.h"

int main() {
    constexpr size_t kBytes = 1 << 20;
    char* device;
    need(cudaMalloc(&device, kBytes));
    need(cudaMemset(device, 0, kBytes));
    const auto copy_to = [&](void* host, size_t bytes) {
        return cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost);
    };
    // Allocate blocks before and after `values`, so that `values` is in the middle of the heap.
    std::vector<int> before(300), values(1006), after(300);
    std::vector<char> large(kBytes / 2);
    const size_t bytes = values.size() * sizeof(int);

    result("past the end of a vector", copy_to(values.data(), bytes + 48));
    result("past the end of a large block", copy_to(large.data(), kBytes));
    result("past the end, from its middle", copy_to(values.data() + 100, bytes));
    result("rows past the end",
           cudaMemcpy2D(values.data(), 400, device, 400, 400, 11, cudaMemcpyDeviceToHost));

    result("all of a vector", copy_to(values.data(), bytes));
    result("from the middle to the end", copy_to(values.data() + 100, bytes - 400));
    result("from the middle of a large block", copy_to(large.data() + 1000, kBytes / 2 - 1000));
    result("rows up to the end",
           cudaMemcpy2D(values.data(), 400, device, 400, 400, 10, cudaMemcpyDeviceToHost));
    int on_stack[100];
    result("an array on the stack", copy_to(on_stack, sizeof on_stack));
    void* aligned = std::aligned_alloc(4096, 8192);
    result("aligned memory", copy_to(aligned, 8192));
    std::free(aligned);
    void* grown = std::realloc(std::malloc(10), 5000);
    result("memory that has grown", copy_to(grown, 5000));
    std::free(grown);
}
