// out[row]
__device__ float row_sums_reference(const float* in, int rows, int cols, int row) {
    double sum = 0;
    for (int col = 0; col < cols; ++col) sum += in[row * cols + col];
    return sum;
}
