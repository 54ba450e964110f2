// A shared library with a kernel, which gate_test.cpp loads into Python.
__global__ void fill_from_module(int* out) {
    out[threadIdx.x] = static_cast<int>(threadIdx.x);
}

/// Returns the sum of 32 elements that a kernel writes, or -1 on failure.
extern "C" int run_module() {
    int *out, host[32], sum = 0;
    if (cudaMalloc(&out, sizeof host) != cudaSuccess) return -1;
    fill_from_module<<<1, 32>>>(out);
    if (cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost) != cudaSuccess) return -1;
    for (const int value : host) sum += value;
    return cudaFree(out) == cudaSuccess ? sum : -1;
}
