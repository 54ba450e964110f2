// 08_vec4/example.cu -- computes the brightness of pixels. A thread loads 16 bytes and stores 4.
//
// Build   nvcc -cudart shared -arch=sm_90 -lineinfo -o example steps/08_vec4/example.cu
// Run     build/bin/simulate ./example

#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

//! [example]
// Loads each pixel with one float4.
__global__ void grey(float* out, const float* pixels, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        float4 p = reinterpret_cast<const float4*>(pixels)[i];
        out[i] = p.x + 2 * p.y + p.z;
    }
}

// Does the same with a separate load for each float that it uses.
__global__ void grey_by_floats(float* out, const float* pixels, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) out[i] = pixels[4 * i] + 2 * pixels[4 * i + 1] + pixels[4 * i + 2];
}
//! [example]

int main() {
    constexpr int count = 500, threads = 128, blocks = (count + threads - 1) / threads;
    std::vector<float> host(4 * count), result(count), expected(count);
    for (int k = 0; k < 4 * count; k++) host[k] = k % 11 + 1.0f;
    for (int i = 0; i < count; i++) {
        expected[i] = host[4 * i] + 2 * host[4 * i + 1] + host[4 * i + 2];
    }

    float *pixels, *out;
    cudaMalloc(&pixels, 4 * count * sizeof(float));
    cudaMalloc(&out, count * sizeof(float));
    cudaMemcpy(pixels, host.data(), 4 * count * sizeof(float), cudaMemcpyHostToDevice);

    bool right = true;
    for (auto* kernel : {grey, grey_by_floats}) {
        cudaMemset(out, 0, count * sizeof(float));
        kernel<<<blocks, threads>>>(out, pixels, count);
        cudaError_t error =
            cudaMemcpy(result.data(), out, count * sizeof(float), cudaMemcpyDeviceToHost);
        right = right && error == cudaSuccess && result == expected;
    }
    std::printf("%s\n", right ? "right: every pixel" : "wrong: a pixel differs");
    cudaFree(pixels);
    cudaFree(out);
    return right ? 0 : 1;
}
