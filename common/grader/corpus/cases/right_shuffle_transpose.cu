// Transposes a tile in a warp's registers.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    // Lane i holds column i of the tile. In step c, lane k receives the element in row k, column c.
    int first_col = blockIdx.x * 32, first_row = blockIdx.y * 32, lane = threadIdx.x;
    float mine[32];
    for (int k = 0; k < 32; k++) {
        int row = first_row + k, col = first_col + lane;
        mine[k] = row < rows && col < cols ? in[row * cols + col] : 0.0f;
    }
    for (int c = 0; c < 32; c++) {
        float value = 0.0f;
        for (int k = 0; k < 32; k++) {
            float sent = __shfl_sync(0xffffffff, mine[k], c);
            if (lane == k) value = sent;
        }
        int col = first_col + c, row = first_row + lane;
        if (row < rows && col < cols) out[col * rows + row] = value;
    }
}
constexpr Launch configure(int rows, int cols) { return {.grid = {ceil_div(cols, 32), ceil_div(rows, 32)}, .block = {32}}; }
