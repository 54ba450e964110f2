// The header of both files. It declares what each file defines for the other one, and contains
// definitions that the linker merges.
#pragma once
#include <cstdio>

using Operation = int (*)(int);

struct Shape {
    __device__ virtual int corners() const = 0;
};

extern __device__ int offset_of_both;             // defined in kernels.cu
extern __constant__ int table[4];                 // defined in kernels.cu
extern __device__ Operation chosen_operation;     // defined in kernels.cu
extern __device__ int multiply(int a, int b);     // defined in kernels.cu
extern __device__ const Shape* make_square();     // defined in kernels.cu
extern __device__ int host_value();               // defined in main.cu
__global__ void write_from_other_file(int* out);  // defined in kernels.cu

/// Both files instantiate this template. The linker keeps one instance (.weak).
template <class T>
__device__ __noinline__ T add_block_sum(T value) {
    __shared__ T sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, value);
    __syncthreads();
    return sum;
}

/// Both files declare dynamic shared memory with this name.
extern __shared__ int dynamic[];
