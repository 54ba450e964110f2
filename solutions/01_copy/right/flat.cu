// Copies the matrix as one long row. A thread moves four elements that are 256 apart.
constexpr int THREADS = 256, EACH = 4;

__global__ void copy(float* out, const float* in, int rows, int cols) {
    int count = rows * cols;
    int first = blockIdx.x * THREADS * EACH + threadIdx.x;
    float values[EACH];
    for (int k = 0; k < EACH; ++k) {
        int i = first + k * THREADS;
        if (i < count) values[k] = in[i];
    }
    for (int k = 0; k < EACH; ++k) {
        int i = first + k * THREADS;
        if (i < count) out[i] = values[k];
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = ceil_div(rows * cols, THREADS * EACH), .block = THREADS};
}
