// out[row][col]
__device__ float softmax_reference(const float* in, int rows, int cols, int row, int col) {
    const float* line = in + row * cols;
    float largest = line[0];
    for (int i = 1; i < cols; ++i) largest = fmaxf(largest, line[i]);
    double sum = 0;
    for (int i = 0; i < cols; ++i) sum += expf(line[i] - largest);
    return expf(line[col] - largest) / sum;
}
