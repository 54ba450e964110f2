// Uses 256 threads in one dimension, and lambdas for the loads and stores.
constexpr int SIDE = 32, WARPS = 8;

__global__ void transpose_in_place(float* matrix, const float* unused, int n, int) {
    __shared__ float first[SIDE][SIDE + 1];
    __shared__ float second[SIDE][SIDE + 1];
    if (!(blockIdx.y <= blockIdx.x)) return;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    auto load = [&](float(*tile)[SIDE + 1], int top, int left) {
        for (int y = warp; y < SIDE; y += WARPS)
            if (top + y < n && left + lane < n) tile[y][lane] = matrix[(top + y) * n + left + lane];
    };
    auto store = [&](float(*tile)[SIDE + 1], int top, int left) {
        for (int y = warp; y < SIDE; y += WARPS)
            if (top + y < n && left + lane < n) matrix[(top + y) * n + left + lane] = tile[lane][y];
    };
    int i = blockIdx.y * SIDE, j = blockIdx.x * SIDE;
    load(first, i, j);
    if (i != j) load(second, j, i);
    __syncthreads();
    store(first, j, i);
    if (i != j) store(second, i, j);
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, SIDE), ceil_div(rows, SIDE)}, .block = {SIDE * WARPS}};
}
