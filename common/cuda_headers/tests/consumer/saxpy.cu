#include "report.h"

__global__ void saxpy(float* y, const float* x, float a, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) y[i] = a * x[i] + y[i];
}

int main() {
    constexpr int count = 128;
    float x[count], y[count], *device_x, *device_y;
    for (int i = 0; i < count; ++i) x[i] = i, y[i] = 1;
    cudaMalloc(&device_x, sizeof x);
    cudaMalloc(&device_y, sizeof y);
    cudaMemcpy(device_x, x, sizeof x, cudaMemcpyHostToDevice);
    cudaMemcpy(device_y, y, sizeof y, cudaMemcpyHostToDevice);
    saxpy<<<1, count>>>(device_y, device_x, FACTOR, count);
    bool is_right = cudaMemcpy(y, device_y, sizeof y, cudaMemcpyDeviceToHost) == cudaSuccess;
    for (int i = 0; i < count; ++i) is_right = is_right && y[i] == FACTOR * x[i] + 1;
    cudaFree(device_x);
    cudaFree(device_y);
    return report(is_right);
}
