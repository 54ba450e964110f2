// Uses the distance between two elements of a table as an index.
__device__ const int order[4] = {0, 1, 2, 3};
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    const int* place = order;
    while (*place != threadIdx.y % 4) ++place;
    const int from = row - threadIdx.y % 4 + (place - order);
    if (from < rows && col < cols) out[col * rows + from] = in[from * cols + col];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
