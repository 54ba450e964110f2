// not built by clang: it has no --default-stream
// nvcc: --default-stream per-thread
// This option changes the names of library calls (cudaMemcpy_ptds, cudaLaunchKernel_ptsz).
// expect: copies, launch, event, host function: 12 ok
#include "api_check.h"

__global__ void add(int* out, int by) {
    *out += by;
}

static void CUDART_CB on_host(void* data) {
    *static_cast<const char**>(data) = "ok";
}

int main() {
    int *out, host = 5;
    const char* text = "the host function did not run";
    cudaEvent_t event;
    need(cudaMalloc(&out, sizeof(int)));
    need(cudaEventCreate(&event));
    need(cudaMemcpy(out, &host, sizeof host, cudaMemcpyHostToDevice));
    add<<<1, 1>>>(out, 3);
    void* arguments[] = {&out, &host};
    host = 4;
    need(cudaLaunchKernel(reinterpret_cast<const void*>(add), dim3(1), dim3(1), arguments, 0,
                          nullptr));
    need(cudaLaunchHostFunc(nullptr, on_host, &text));
    need(cudaEventRecord(event));
    need(cudaStreamWaitEvent(nullptr, event));
    need(cudaMemcpyAsync(&host, out, sizeof host, cudaMemcpyDeviceToHost));
    need(cudaStreamSynchronize(nullptr));
    std::printf("copies, launch, event, host function: %d %s\n", host, text);
    need(cudaEventDestroy(event));
    need(cudaFree(out));
}
