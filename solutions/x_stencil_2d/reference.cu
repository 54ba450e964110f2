// out[row][col]: the row below minus the row above. Elements outside of the matrix count as 0.
__device__ float stencil_2d_reference(const float* in, int rows, int cols, int row, int col) {
    double sum = 0;
    for (int side = -1; side <= 1; ++side) {
        const int at = col + side;
        if (at < 0 || at >= cols) continue;
        const int weight = side == 0 ? 2 : 1;
        if (row + 1 < rows) sum += weight * in[(row + 1) * cols + at];
        if (row > 0) sum -= weight * in[(row - 1) * cols + at];
    }
    return sum;
}
