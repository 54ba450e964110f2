// 17_reduction/example.cu -- finds the peak of each piece of a sound, with a warp per piece.
//
// Build   nvcc -cudart shared -arch=sm_90 -lineinfo -o example steps/17_reduction/example.cu
// Run     build/bin/simulate ./example

#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

//! [example]
constexpr int PER_LANE = 8, PIECE = 32 * PER_LANE;  // a piece has 256 samples

// peaks[i] is the largest distance from 0 in piece i.
__global__ void find_peaks(float* peaks, const float* sound, int pieces) {
    int piece = blockIdx.x * blockDim.y + threadIdx.y;
    int lane = threadIdx.x;
    if (piece >= pieces) return;

    // The loads of a lane do not wait for each other, and those of a warp are coalesced.
    float samples[PER_LANE];
    for (int k = 0; k < PER_LANE; k++) samples[k] = sound[piece * PIECE + 32 * k + lane];

    float peak = 0;
    for (int k = 0; k < PER_LANE; k++) peak = fmaxf(peak, fabsf(samples[k]));

    // After each step, half as many lanes have a part of the result.
    for (int offset = 16; offset > 0; offset /= 2) {
        peak = fmaxf(peak, __shfl_down_sync(0xffffffff, peak, offset));
    }
    if (lane == 0) peaks[piece] = peak;
}
//! [example]

int main() {
    constexpr int pieces = 50, warps = 4;
    std::vector<float> sound(pieces * PIECE), expected(pieces), result(pieces);
    for (int i = 0; i < pieces * PIECE; i++) {
        sound[i] = (i * 7919 % 2001 - 1000) / 1000.0f;
        float distance = sound[i] < 0 ? -sound[i] : sound[i];
        if (distance > expected[i / PIECE]) expected[i / PIECE] = distance;
    }

    float *from, *peaks;
    cudaMalloc(&from, sound.size() * sizeof(float));
    cudaMalloc(&peaks, pieces * sizeof(float));
    cudaMemcpy(from, sound.data(), sound.size() * sizeof(float), cudaMemcpyHostToDevice);

    find_peaks<<<(pieces + warps - 1) / warps, dim3(32, warps)>>>(peaks, from, pieces);

    cudaError_t error =
        cudaMemcpy(result.data(), peaks, pieces * sizeof(float), cudaMemcpyDeviceToHost);
    bool right = error == cudaSuccess && result == expected;
    std::printf("%s\n", right ? "right: every peak" : "wrong: a peak differs");
    cudaFree(from);
    cudaFree(peaks);
    return right ? 0 : 1;
}
