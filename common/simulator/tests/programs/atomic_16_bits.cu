// Tests 16-bit atomics, and atomics on two halves at a time.
// expect: half sums: ok
// expect: half sums give what was there: ok
// expect: compare and swap of 16 bits: ok
// expect: compare and swap of 16 bits in shared memory: ok
#include <cuda_fp16.h>

#include "check.h"

constexpr int kBlocks = 4, kThreads = 96, kTotal = kBlocks * kThreads;

__global__ void half_sums(__half* one, __half2* two) {
    atomicAdd(one, __float2half(0.25f));
    atomicAdd(two, __floats2half2_rn(0.5f, 1.0f));
}
/// Runs with a single thread, so that the order of the atomics and their return values is fixed.
__global__ void old_halves(__half* one, __half2* two, float* old) {
    old[0] = __half2float(atomicAdd(one, __float2half(0.25f)));
    const __half2 pair = atomicAdd(two, __floats2half2_rn(0.5f, 1.0f));
    old[1] = __low2float(pair);
    old[2] = __high2float(pair);
}

__global__ void swap_shorts(unsigned short* cells) {
    const int i = threadIdx.x;
    // Thread i waits until thread i - 1 has incremented the counter in cells[1].
    while (atomicCAS(&cells[1], static_cast<unsigned short>(i),
                     static_cast<unsigned short>(i + 1)) != i) {
    }
    __threadfence();
}

/// Multiplies 16-bit numbers within a block, with compare-and-swap in shared memory.
__global__ void swap_in_shared(unsigned short* out) {
    __shared__ unsigned short cells[2];
    if (threadIdx.x == 0) cells[0] = 7, cells[1] = 1;
    __syncthreads();
    unsigned short seen = 1, assumed;
    do {
        assumed = seen;
        seen = atomicCAS(&cells[1], assumed, static_cast<unsigned short>(assumed * 3));
    } while (seen != assumed);
    __syncthreads();
    if (threadIdx.x < 2) out[threadIdx.x] = cells[threadIdx.x];
}

int main() {
    {
        DeviceArray<__half> one(1);
        DeviceArray<__half2> two(1);
        half_sums<<<kBlocks, kThreads>>>(one, two);
        const __half2 pair = two.read()[0];
        expect_equal<float>("half sums",
                            {__half2float(one.read()[0]), __low2float(pair), __high2float(pair)},
                            {kTotal * 0.25f, kTotal * 0.5f, kTotal * 1.0f});
    }
    {
        DeviceArray<__half> one({__float2half(3.0f)});
        DeviceArray<__half2> two({__floats2half2_rn(4.0f, 5.0f)});
        DeviceArray<float> old(3);
        old_halves<<<1, 1>>>(one, two, old);
        expect_equal<float>("half sums give what was there", old.read(), {3, 4, 5});
    }
    {
        DeviceArray<unsigned short> cells({77, 0, 88, 99});
        swap_shorts<<<1, 64>>>(cells);
        expect_equal<unsigned short>("compare and swap of 16 bits", cells.read(), {77, 64, 88, 99});
    }
    {
        unsigned short wanted = 1;
        for (int i = 0; i < kThreads; ++i) wanted = static_cast<unsigned short>(wanted * 3);
        DeviceArray<unsigned short> out(2);
        swap_in_shared<<<1, kThreads>>>(out);
        expect_equal<unsigned short>("compare and swap of 16 bits in shared memory", out.read(),
                                     {7, wanted});
    }
}
