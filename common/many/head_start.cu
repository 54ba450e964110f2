#include "harness/errors.h"
#include "many/many.h"

namespace coalesce::many {
namespace {

__device__ unsigned long long nanoseconds_now() {
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

__global__ void spin_for(unsigned long long nanoseconds) {
    const unsigned long long start = nanoseconds_now();
    while (nanoseconds_now() - start < nanoseconds) {
    }
}

}  // namespace

void delay_stream(cudaStream_t stream, int microseconds) {
    if (microseconds == 0) return;
    spin_for<<<1, 1, 0, stream>>>(1000ULL * static_cast<unsigned>(microseconds));
    CUDA_CHECK(cudaGetLastError());
}

}  // namespace coalesce::many
