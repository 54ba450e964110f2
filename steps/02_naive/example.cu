// 02_naive/example.cu -- reads and writes one field of each 32-byte structure in an array.
//
// Build   nvcc -cudart shared -arch=sm_90 -lineinfo -o example steps/02_naive/example.cu
// Run     build/bin/simulate ./example

#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

struct Star {
    float x, y, z, vx, vy, vz, mass, age;
};

//! [example]
// The lanes read from addresses that are 32 bytes apart, and write neighbouring floats.
__global__ void take_masses(float* masses, const Star* stars, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) masses[i] = stars[i].mass;
}

// The lanes read neighbouring floats, and write to addresses that are 32 bytes apart.
__global__ void put_ages(Star* stars, const float* ages, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) stars[i].age = ages[i];
}
//! [example]

int main() {
    constexpr int count = 500, threads = 128, blocks = (count + threads - 1) / threads;
    std::vector<Star> host(count);
    for (int i = 0; i < count; i++) host[i].mass = i + 1.0f;

    Star* stars;
    float* masses;
    cudaMalloc(&stars, count * sizeof(Star));
    cudaMalloc(&masses, count * sizeof(float));
    cudaMemcpy(stars, host.data(), count * sizeof(Star), cudaMemcpyHostToDevice);
    cudaMemset(masses, 0, count * sizeof(float));

    // Sets the age of each star to its mass.
    take_masses<<<blocks, threads>>>(masses, stars, count);
    put_ages<<<blocks, threads>>>(stars, masses, count);

    cudaError_t error =
        cudaMemcpy(host.data(), stars, count * sizeof(Star), cudaMemcpyDeviceToHost);
    bool right = error == cudaSuccess;
    for (int i = 0; i < count; i++) right = right && host[i].age == i + 1.0f;
    std::printf("%s\n", right ? "right: every age" : "wrong: an age differs");
    cudaFree(stars);
    cudaFree(masses);
    return right ? 0 : 1;
}
