// 11_any_shape/example.cu -- copies to an address that is 3 floats after the start of a sector.
//
// Build   nvcc -cudart shared -arch=sm_90 -lineinfo -o example steps/11_any_shape/example.cu
// Run     build/bin/simulate ./example

#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <vector>

//! [example]
constexpr int SECTOR = 8;  // floats

// With AT_SECTORS, the stores of each warp begin at a sector: the first thread of the grid is at
// the start of the sector that contains out[0], which may be before `out`.
template <bool AT_SECTORS>
__global__ void copy(float* out, const float* in, int n) {
    int phase = reinterpret_cast<std::uintptr_t>(out) / sizeof(float) % SECTOR;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (AT_SECTORS) i -= phase;
    if (i >= 0 && i < n) {
        out[i] = in[i];
    }
}
//! [example]

int main() {
    constexpr int count = 99999, shift = 3, room = count + 2 * SECTOR;
    std::vector<float> host(count), result(room), expected(room);
    for (int i = 0; i < count; i++) expected[shift + i] = host[i] = i + 1;

    float *in, *memory;
    cudaMalloc(&in, count * sizeof(float));
    cudaMalloc(&memory, room * sizeof(float));
    cudaMemcpy(in, host.data(), count * sizeof(float), cudaMemcpyHostToDevice);

    bool right = true;
    for (auto* kernel : {copy<false>, copy<true>}) {
        cudaMemset(memory, 0, room * sizeof(float));
        // Up to SECTOR - 1 threads fall before `out`, so the grid needs that many more threads.
        kernel<<<(count + SECTOR - 1 + 255) / 256, 256>>>(memory + shift, in, count);
        cudaError_t error =
            cudaMemcpy(result.data(), memory, room * sizeof(float), cudaMemcpyDeviceToHost);
        right = right && error == cudaSuccess && result == expected;  // nothing else has changed
    }
    std::printf("%s\n", right ? "right: both copies" : "wrong: a copy differs");
    cudaFree(in);
    cudaFree(memory);
    return right ? 0 : 1;
}
