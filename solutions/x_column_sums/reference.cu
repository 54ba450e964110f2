// out[col]
__device__ float column_sums_reference(const float* in, int rows, int cols, int col) {
    double sum = 0;
    for (int row = 0; row < rows; ++row) sum += in[row * cols + col];
    return sum;
}
