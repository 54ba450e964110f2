// Uses 32 x 32 threads, each with one element of both tiles, and no loops.
constexpr int SIDE = 32;

__global__ void transpose_in_place(float* data, const float*, int side, int) {
    __shared__ float a[SIDE][SIDE + 1], b[SIDE][SIDE + 1];
    if (blockIdx.x < blockIdx.y) return;
    const int x = threadIdx.x, y = threadIdx.y;
    const int here = (blockIdx.y * SIDE + y) * side + blockIdx.x * SIDE + x;
    const int there = (blockIdx.x * SIDE + y) * side + blockIdx.y * SIDE + x;
    const bool is_here = blockIdx.y * SIDE + y < side && blockIdx.x * SIDE + x < side;
    const bool is_there = blockIdx.x * SIDE + y < side && blockIdx.y * SIDE + x < side;
    if (is_here) a[y][x] = data[here];
    if (is_there) b[y][x] = data[there];
    __syncthreads();
    if (is_here) data[here] = b[x][y];
    if (is_there && blockIdx.x != blockIdx.y) data[there] = a[x][y];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, SIDE), ceil_div(rows, SIDE)}, .block = {SIDE, SIDE}};
}
