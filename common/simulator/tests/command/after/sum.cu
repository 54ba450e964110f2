// The new version of before/sum.cu. Some lines have moved, and the loads are now strided.

/// Like the kernel of before/sum.cu, but loads with a stride of 32 elements.
__global__ void sum(float* out, const float* in, int count) {
    __shared__ float tile[32];

    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = in[i * 32 % count];  // this load became strided
    __syncthreads();
    out[i] = tile[31 - threadIdx.x];
}

int main() {
    constexpr int kCount = 4096;
    float *in, *out;
    if (cudaMalloc(&in, kCount * sizeof(float)) != cudaSuccess) return 99;
    if (cudaMalloc(&out, kCount * sizeof(float)) != cudaSuccess) return 99;
    cudaMemset(in, 0, kCount * sizeof(float));
    sum<<<kCount / 32, 32>>>(out, in, kCount);
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
