// Sums an array with a loop that loads one word at a time. The twin loads eight words before it
// adds them.
#include "lab/proof/lints/planted/planted.h"

using namespace coalesce::planted;

namespace {

constexpr int kBlock = 256, kBlocks = 132 * 4, kBatch = 8;

__global__ void sum_singly(u32* out, const u32* in, long n) {
    const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
    u32 sum = 0;
#pragma unroll 1
    for (long k = i; k < n; k += kBlocks * kBlock) {
        sum += in[k];  // lint one-load-in-flight
    }
    out[i] = sum;
}

__global__ void sum_in_batches(u32* out, const u32* in, long n) {
    const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
    u32 sum = 0;
    long k = i;
#pragma unroll 1
    for (; k + (kBatch - 1) * kBlocks * kBlock < n; k += kBatch * kBlocks * kBlock) {
        u32 values[kBatch];
#pragma unroll
        for (int j = 0; j < kBatch; ++j) values[j] = in[k + j * kBlocks * kBlock];
#pragma unroll
        for (int j = 0; j < kBatch; ++j) sum += values[j];
    }
#pragma unroll 1
    for (; k < n; k += kBlocks * kBlock) sum += in[k];
    out[i] = sum;
}

void run(const Buffers& b) {
    sum_singly<<<kBlocks, kBlock>>>(b.out, b.in, b.elements);
}
void run_twin(const Buffers& b) {
    sum_in_batches<<<kBlocks, kBlock>>>(b.out, b.in, b.elements);
}

const Register registration{{"one_load", 1l << 28, 1l << 25, 1, 1, run, run_twin}};

}  // namespace
