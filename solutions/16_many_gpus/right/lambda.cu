// Uses unsigned numbers, a lambda, and 256 threads in one dimension.
constexpr unsigned SIDE = 32, WARPS = 8, GPUS = 4;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[SIDE][SIDE + 1];
    const unsigned lane = threadIdx.x % SIDE, warp = threadIdx.x / SIDE;
    const auto tile_of_block = [](unsigned block, unsigned gpu) {
        const unsigned peer = (block + gpu) % GPUS, first = peer * (gridDim.x / GPUS);
        return first + block / GPUS;
    };
    const unsigned tiles_down = (gridDim.y + GPUS - 1) / GPUS;
    const unsigned left = tile_of_block(blockIdx.x, blockIdx.y / tiles_down) * SIDE;
    const unsigned top = blockIdx.y * SIDE;
    for (unsigned r = warp; r < SIDE; r += WARPS)
        if (top + r < rows && left + lane < cols)
            tile[r][lane] = in[size_t(top + r) * cols + left + lane];
    __syncthreads();
    for (unsigned c = warp; c < SIDE; c += WARPS)
        if (top + lane < rows && left + c < cols)
            out[size_t(left + c) * rows + top + lane] = tile[lane][c];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(ceil_div(cols, SIDE), GPUS) * GPUS, ceil_div(rows, SIDE)},
            .block = {SIDE * WARPS}};
}
