#include <coalesce/transpose.cuh>

int main() {
    constexpr int rows = 3, cols = 5;
    short in[rows * cols], out[rows * cols], *device_in, *device_out;
    for (int i = 0; i < rows * cols; ++i) in[i] = static_cast<short>(i);
    cudaMalloc(&device_in, sizeof in);
    cudaMalloc(&device_out, sizeof out);
    cudaMemcpy(device_in, in, sizeof in, cudaMemcpyHostToDevice);
    bool is_right = coalesce::transpose(device_out, device_in, rows, cols) == cudaSuccess;
    is_right =
        cudaMemcpy(out, device_out, sizeof out, cudaMemcpyDeviceToHost) == cudaSuccess && is_right;
    for (int i = 0; i < rows * cols; ++i)
        is_right = is_right && out[i % cols * rows + i / cols] == in[i];
    cudaFree(device_in);
    cudaFree(device_out);
    return is_right ? 0 : 1;
}
