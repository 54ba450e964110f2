// Uses 1024 threads in one dimension.
constexpr unsigned SIDE = 32;

__global__ void transpose(float* __restrict__ out, const float* __restrict__ in, int rows,
                          int cols) {
    __shared__ float tile[SIDE * SIDE];
    const unsigned minor = threadIdx.x % SIDE, major = threadIdx.x / SIDE;

    unsigned col = blockIdx.x * SIDE + minor;
    unsigned row = blockIdx.y * SIDE + major;
    if (row < unsigned(rows) && col < unsigned(cols)) tile[threadIdx.x] = in[row * cols + col];

    __syncthreads();

    col = blockIdx.x * SIDE + major;
    row = blockIdx.y * SIDE + minor;
    if (row < unsigned(rows) && col < unsigned(cols))
        out[col * rows + row] = tile[minor * SIDE + major];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, SIDE), ceil_div(rows, SIDE)}, .block = {SIDE * SIDE}};
}
