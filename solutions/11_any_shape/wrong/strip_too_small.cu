// expect: outside-shared-memory
// of: the bug hunt
// mistake: Pitch odd, tile not larger.
// says: makes its rows longer
constexpr int STRIP_ROWS = 128, STRIP_COLS = 32, THREADS = 256;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[STRIP_ROWS * STRIP_COLS];  // here

    int strip_row = blockIdx.y * STRIP_ROWS;
    int strip_col = blockIdx.x * STRIP_COLS;
    int height = min(STRIP_ROWS, rows - strip_row);
    int width = min(STRIP_COLS, cols - strip_col);
    int pitch = width | 1;

    // The threads walk along the strip element by element, so that no thread is idle.
    for (int i = threadIdx.x; i < height * width; i += THREADS) {
        int row = i / width;
        int col = i % width;
        tile[row * pitch + col] = in[(strip_row + row) * cols + strip_col + col];
    }

    __syncthreads();

    for (int i = threadIdx.x; i < height * width; i += THREADS) {
        int row = i % height;
        int col = i / height;
        out[(strip_col + col) * rows + strip_row + row] = tile[row * pitch + col];
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, STRIP_COLS), ceil_div(rows, STRIP_ROWS)}, .block = {THREADS}};
}
