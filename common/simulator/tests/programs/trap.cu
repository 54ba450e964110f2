// Tests that __trap ends a launch with a sticky error.
// expect: nobody traps: cudaSuccess
// expect: trap: an error
// expect: and later: an error
// expect-stderr: execution: trap
#include <cstdio>

#include <cuda_runtime.h>

__global__ void stop(int when) {
    if (static_cast<int>(threadIdx.x) == when) __trap();
}

int main() {
    const auto say = [](const char* name, cudaError_t error) {
        std::printf("%s: %s\n", name, error == cudaSuccess ? "cudaSuccess" : "an error");
    };
    stop<<<1, 32>>>(40);
    say("nobody traps", cudaDeviceSynchronize());
    stop<<<1, 32>>>(7);
    say("trap", cudaDeviceSynchronize());
    int* pointer = nullptr;
    say("and later", cudaMalloc(&pointer, 4));
}
