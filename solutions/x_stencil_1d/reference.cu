// out[index]. Elements outside of the vector count as 0.
__device__ float stencil_1d_reference(const float* in, int n, int index) {
    double sum = 0;
    for (int i = index - 3; i <= index + 3; ++i) {
        if (i >= 0 && i < n) sum += in[i];
    }
    return sum;
}
