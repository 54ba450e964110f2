#include "flush.h"

namespace {

__global__ void read_everything(const float* data, std::size_t n) {
    float sum = 0;
    for (std::size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x) {
        sum += data[i];
    }
    // Always false, because all elements are 0. It keeps the compiler from removing the loads.
    if (sum > 0) __trap();
}

}  // namespace

namespace tutorial {

void flush_by_reading(const float* data, std::size_t n) {
    read_everything<<<1024, 256>>>(data, n);
}

}  // namespace tutorial
