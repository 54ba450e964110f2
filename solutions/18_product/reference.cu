// out[row][col]
__device__ float product_reference(const float* a, const float* b, int rows, int cols, int inner,
                                   int row, int col) {
    double sum = 0;
    for (int k = 0; k < inner; ++k) sum += (double)a[row * inner + k] * b[k * cols + col];
    return sum;
}
