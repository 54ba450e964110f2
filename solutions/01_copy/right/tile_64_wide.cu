// Uses a tile that is 64 wide and 16 tall, and 64 x 4 threads.
constexpr int WIDE = 64, TALL = 16, STEP = 4;

__global__ void copy(float* __restrict__ out, const float* __restrict__ in, int rows, int cols) {
    unsigned col = blockIdx.x * WIDE + threadIdx.x;
    unsigned row = blockIdx.y * TALL + threadIdx.y;
    float values[TALL / STEP];
    for (unsigned k = 0; k < TALL; k += STEP) {
        if (row + k < unsigned(rows) && col < unsigned(cols)) {
            values[k / STEP] = in[size_t(row + k) * cols + col];
        }
    }
    for (unsigned k = 0; k < TALL; k += STEP) {
        if (row + k < unsigned(rows) && col < unsigned(cols)) {
            out[size_t(row + k) * cols + col] = values[k / STEP];
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, WIDE), ceil_div(rows, TALL)}, .block = {WIDE, STEP}};
}
