// Calls a function through a pointer that differs between blocks.
__device__ __noinline__ int along(int row, int col, int pitch) {
    return row * pitch + col;
}
__device__ __noinline__ int across(int row, int col, int pitch) {
    return col * pitch + row;
}
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int (*const places[])(int, int, int) = {along, across};
    const int first = (rows + cols) % 2;
    if (row >= rows || col >= cols) return;
    const float value = in[places[first](first ? col : row, first ? row : col, cols)];
    out[places[1 - first](first ? col : row, first ? row : col, rows)] = value;
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
