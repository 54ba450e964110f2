// Uses 256 threads in one dimension, and computes x and y with / and %.
constexpr int TILE_DIM = 32, THREADS = 256;

__global__ void copy(float* out, const float* in, int rows, int cols) {
    const int x = threadIdx.x % TILE_DIM;
    const int y = threadIdx.x / TILE_DIM;
    const int col = blockIdx.x * TILE_DIM + x;
    float values[4] = {};
    for (int turn = 0; turn < 4; turn++) {
        int row = blockIdx.y * TILE_DIM + y + turn * 8;
        if (row >= rows || col >= cols) continue;
        values[turn] = in[row * cols + col];
    }
    for (int turn = 0; turn < 4; turn++) {
        int row = blockIdx.y * TILE_DIM + y + turn * 8;
        if (row >= rows || col >= cols) continue;
        out[row * cols + col] = values[turn];
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)}, .block = THREADS};
}
