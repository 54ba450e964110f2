// expect: shared-race
// mistake: The counts of a block are not incremented atomically.
// says: some of their changes are lost
__global__ void histogram(unsigned* counts, const unsigned char* in, int n, int bins) {
    __shared__ unsigned own[256];

    for (int bin = threadIdx.x; bin < bins; bin += blockDim.x) own[bin] = 0;
    __syncthreads();

    const int threads = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
        const int bin = in[i];
        own[bin] = own[bin] + 1;  // here
    }
    __syncthreads();

    for (int bin = threadIdx.x; bin < bins; bin += blockDim.x) atomicAdd(&counts[bin], own[bin]);
}

constexpr Launch configure(int n, int bins) {
    const unsigned blocks = ceil_div(n, 4096);
    return {.grid = {blocks < 64 ? blocks : 64}, .block = {256}};
}
