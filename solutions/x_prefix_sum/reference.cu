// out[index]
__device__ int prefix_sum_reference(const int* in, int n, int index) {
    int sum = 0;
    for (int i = 0; i <= index; ++i) sum += in[i];
    return sum;
}
