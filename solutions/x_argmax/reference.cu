// index[row]: the first column that has the largest element.
__device__ int argmax_reference_index(const int* in, int rows, int cols, int row) {
    int at = 0;
    for (int col = 1; col < cols; ++col) {
        if (in[row * cols + col] > in[row * cols + at]) at = col;
    }
    return at;
}

// value[row]
__device__ int argmax_reference_value(const int* in, int rows, int cols, int row) {
    return in[row * cols + argmax_reference_index(in, rows, cols, row)];
}
