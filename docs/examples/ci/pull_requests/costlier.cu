// Sums an array: each block adds 256 elements, and the host adds the sums of the blocks.
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int kThreads = 256;

__global__ void reduce(float* sums, const float* in, int count) {
    __shared__ float part[kThreads];
    const int i = threadIdx.x * gridDim.x + blockIdx.x;
    part[threadIdx.x] = i < count ? in[i] : 0;
    __syncthreads();
    for (int half = kThreads / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}

int main(int argc, char** argv) {
    const int count = argc > 1 ? std::atoi(argv[1]) : 1 << 16;
    const int blocks = (count + kThreads - 1) / kThreads;
    std::vector<float> ones(count, 1), sums(blocks);
    float *in, *out;
    if (cudaMalloc(&in, count * sizeof(float)) != cudaSuccess) return 2;
    if (cudaMalloc(&out, blocks * sizeof(float)) != cudaSuccess) return 2;
    cudaMemcpy(in, ones.data(), count * sizeof(float), cudaMemcpyHostToDevice);
    reduce<<<blocks, kThreads>>>(out, in, count);
    cudaMemcpy(sums.data(), out, blocks * sizeof(float), cudaMemcpyDeviceToHost);
    float sum = 0;
    for (const float one : sums) sum += one;
    std::printf("%.0f\n", sum);
    return sum == count ? 0 : 1;
}
