// When a kernel uses a host pointer, the report must state what memory it points to.
// simulator only
// expect: from malloc: 700
// expect-stderr: which is in host memory: the heap
// expect-stderr: (malloc, new, std::vector). A kernel cannot access
// expect: a large vector: 700
// expect-stderr: (malloc, new, std::vector) or the stack of a thread. A
// expect: a local variable: 700
// expect-stderr: (a local variable). A kernel cannot access ordinary
// expect: a global variable: 700
// expect: a global variable with a value: 700
// expect: the host's address of a __device__ variable: 700
// expect-stderr: variable of the program. A kernel cannot access
// expect-stderr: cudaGetSymbolAddress.
// expect: never set: 700
// expect-stderr: at 0xcdcdcdcdcdcdcdcc, which is in
// expect: null, and a large index: 700
// expect-stderr: at 0x17d78400, which is in neither
// expect: before the first allocation: 700
// expect-stderr: which is 4 bytes before the
// expect: behind registered memory: 700
// expect-stderr: which is just past the end of the
// expect: across the end of an allocation: 700
// expect-stderr: which is partly inside, but its
// expect-stderr: last 2 bytes lie past the end of the allocation of 126 bytes
#include <sys/wait.h>
#include <unistd.h>

#include <vector>

#include "api_check.h"

__device__ float on_device[64];

__global__ void scale(float* x) {
    x[threadIdx.x] *= 2;
}

template <class Pointer>
static void in_child(const char* what, Pointer pointer) {
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        float* allocated;
        need(cudaMalloc(&allocated, 1024));
        scale<<<1, 32>>>(pointer(allocated));
        std::printf("%s: %d\n", what, static_cast<int>(cudaDeviceSynchronize()));
        std::fflush(stdout);
        _exit(0);
    }
    waitpid(child, nullptr, 0);
}

int main() {
    static float zeros[4096], values[64] = {1, 2, 3};
    float local[32];
    in_child("from malloc", [](float*) { return static_cast<float*>(malloc(1024)); });
    in_child("a large vector", [](float*) { return (new std::vector<float>(10'000'000))->data(); });
    in_child("a local variable", [&](float*) { return local; });
    in_child("a global variable", [](float*) { return zeros + 2048; });
    in_child("a global variable with a value", [](float*) { return values; });
    in_child("the host's address of a __device__ variable", [](float*) { return on_device; });
    in_child("never set", [](float*) { return reinterpret_cast<float*>(0xcdcdcdcdcdcdcdcc); });
    in_child("null, and a large index", [](float*) { return reinterpret_cast<float*>(400000000); });
    in_child("before the first allocation",
             [](float*) { return reinterpret_cast<float*>(0x5000'0000'0000) - 1; });
    in_child("behind registered memory", [](float*) {
        auto* registered = static_cast<float*>(malloc(1024));
        need(cudaHostRegister(registered, 1024, cudaHostRegisterDefault));
        return registered + 256;
    });
    in_child("across the end of an allocation", [](float*) {
        float* odd;
        need(cudaMalloc(&odd, 32 * sizeof(float) - 2));
        return odd;
    });
}
