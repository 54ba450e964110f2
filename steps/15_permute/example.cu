// 15_permute/example.cu -- permutes three axes in any order, by index arithmetic alone.
//
// Build   nvcc -cudart shared -arch=sm_90 -lineinfo -o example steps/15_permute/example.cu
// Run     build/bin/simulate ./example

#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

//! [example]
struct Axis {
    int extent, step;  // length of an axis of `out`, and the distance between its elements in `in`
};

// Thread i stores out[i]. It computes the three indices from i, beginning with the last axis.
__global__ void permute(float* out, const float* in, Axis first, Axis second, Axis third) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int z = i % third.extent;
    int y = i / third.extent % second.extent;
    int x = i / third.extent / second.extent;
    if (x < first.extent) {
        out[i] = in[x * first.step + y * second.step + z * third.step];
    }
}
//! [example]

int main() {
    constexpr int A = 16, B = 48, C = 64, count = A * B * C;
    std::vector<float> host(count), result(count), order_bac(count), order_cba(count);
    for (int i = 0; i < count; i++) {
        int a = i / C / B, b = i / C % B, c = i % C;
        order_bac[(b * A + a) * C + c] = order_cba[(c * B + b) * A + a] = host[i] = i + 1;
    }

    float *in, *out;
    cudaMalloc(&in, count * sizeof(float));
    cudaMalloc(&out, count * sizeof(float));
    cudaMemcpy(in, host.data(), count * sizeof(float), cudaMemcpyHostToDevice);

    const Axis a{A, B * C}, b{B, C}, c{C, 1};  // those of in[a][b][c]
    bool right = true;
    for (bool is_bac : {true, false}) {
        cudaMemset(out, 0, count * sizeof(float));
        permute<<<(count + 255) / 256, 256>>>(out, in, is_bac ? b : c, is_bac ? a : b,
                                              is_bac ? c : a);
        cudaError_t error =
            cudaMemcpy(result.data(), out, count * sizeof(float), cudaMemcpyDeviceToHost);
        right = right && error == cudaSuccess && result == (is_bac ? order_bac : order_cba);
    }
    std::printf("%s\n", right ? "right: both orders" : "wrong: an order differs");
    cudaFree(in);
    cudaFree(out);
    return right ? 0 : 1;
}
