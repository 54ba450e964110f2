// expect: does-not-compile
// mistake: The atomic operations get values instead of addresses.
// says: the address of an element
__global__ void histogram(unsigned* counts, const unsigned char* in, int n, int bins) {
    __shared__ unsigned own[256];

    for (int bin = threadIdx.x; bin < bins; bin += blockDim.x) own[bin] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(own[in[i]], 1);  // here
    }
    __syncthreads();
    for (int bin = threadIdx.x; bin < bins; bin += blockDim.x) {
        atomicAdd(counts[bin], own[bin]);
    }
}

constexpr Launch configure(int n, int bins) {
    const unsigned blocks = ceil_div(n, 4096);
    return {.grid = {blocks < 64 ? blocks : 64}, .block = {256}};
}
