// counts[bin]
__device__ unsigned histogram_reference(const unsigned char* in, int n, int bins, int bin) {
    unsigned count = 0;
    for (int i = 0; i < n; ++i) count += in[i] == bin;
    return count;
}
