// out[index]
__device__ float vector_add_reference(const float* a, const float* b, int n, int index) {
    return a[index] + b[index];
}
