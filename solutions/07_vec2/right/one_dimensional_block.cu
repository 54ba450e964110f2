// Uses 256 threads in one dimension, and issues all loads before it fills the tile.
constexpr int SIDE = 32, PAIRS = SIDE / 2;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[SIDE][SIDE + 1];
    const int pair = threadIdx.x % PAIRS * 2, line = threadIdx.x / PAIRS;
    const int row0 = blockIdx.y * SIDE, col0 = blockIdx.x * SIDE;

    float2 v[2];
    for (int i = 0; i < 2; ++i) {
        const int r = line + 16 * i;
        if (row0 + r < rows && col0 + pair < cols) {
            v[i] = *reinterpret_cast<const float2*>(in + (row0 + r) * cols + col0 + pair);
        }
    }
    for (int i = 0; i < 2; ++i) {
        tile[line + 16 * i][pair] = v[i].x;
        tile[line + 16 * i][pair + 1] = v[i].y;
    }
    __syncthreads();
    for (int i = 0; i < 2; ++i) {
        const int c = line + 16 * i;
        if (row0 + pair < rows && col0 + c < cols) {
            float2* to = reinterpret_cast<float2*>(out + (col0 + c) * rows + row0 + pair);
            *to = {tile[pair][c], tile[pair + 1][c]};
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, SIDE), ceil_div(rows, SIDE)}, .block = {SIDE * PAIRS / 2}};
}
