// After a kernel fails, the next call that needs the device and all later calls return the error.
// expect: the launch itself: cudaSuccess
// expect: the next synchronisation: cudaErrorIllegalAddress
// expect: once more: cudaErrorIllegalAddress
// expect: allocating: cudaErrorIllegalAddress
// expect: freeing: cudaErrorIllegalAddress
// expect: copying: cudaErrorIllegalAddress
// expect: launching: cudaErrorIllegalAddress
// expect: a new stream: cudaErrorIllegalAddress
// expect: an event: cudaErrorIllegalAddress
// expect: the number of devices is known: cudaSuccess
// expect: versions are known: cudaSuccess
// expect: the second kernel did not run: yes
// expect-stderr: memcheck
#include "api_check.h"

__global__ void write_nowhere(int* out, int by) {
    out[by] = 1;
}
__global__ void write(int* out) {
    *out = 1;
}

static void say(const char* what, cudaError_t error) {
    std::printf("%s: %s\n", what, cudaGetErrorName(error));
}

int main() {
    int *block, *pinned, host = 0, count = 0;
    cudaEvent_t event;
    cudaStream_t stream;
    need(cudaMalloc(&block, sizeof(int)));
    need(cudaMallocHost(&pinned, sizeof(int)));
    need(cudaEventCreate(&event));
    *pinned = 0;

    write_nowhere<<<1, 1>>>(nullptr, 4);
    say("the launch itself", cudaGetLastError());
    say("the next synchronisation", cudaDeviceSynchronize());
    say("once more", cudaStreamSynchronize(nullptr));
    say("allocating", cudaMalloc(&block, sizeof(int)));
    say("freeing", cudaFree(block));
    say("copying", cudaMemcpy(&host, block, sizeof(int), cudaMemcpyDeviceToHost));
    write<<<1, 1>>>(pinned);
    say("launching", cudaGetLastError());
    say("a new stream", cudaStreamCreate(&stream));
    say("an event", cudaEventRecord(event));
    say("the number of devices is known", cudaGetDeviceCount(&count));
    say("versions are known", cudaRuntimeGetVersion(&count));
    fact("the second kernel did not run", *pinned == 0);
}
