// Uses its own struct, aligned to 8 bytes, instead of float2.
constexpr int TILE_DIM = 32, BLOCK_ROWS = 16;

struct alignas(8) Pair {
    float value[2];
};

__device__ const Pair& pair_at(const float* matrix, int index) {
    return *reinterpret_cast<const Pair*>(matrix + index);
}
__device__ Pair& pair_at(float* matrix, int index) {
    return *reinterpret_cast<Pair*>(matrix + index);
}

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];
    int col = blockIdx.x * TILE_DIM + threadIdx.x * 2;
    int row = blockIdx.y * TILE_DIM + threadIdx.y;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row + k < rows && col < cols) {
            const Pair pair = pair_at(in, (row + k) * cols + col);
            for (int i = 0; i < 2; ++i) {
                tile[threadIdx.y + k][threadIdx.x * 2 + i] = pair.value[i];
            }
        }
    }
    __syncthreads();
    col = blockIdx.x * TILE_DIM + threadIdx.y;
    row = blockIdx.y * TILE_DIM + threadIdx.x * 2;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row < rows && col + k < cols) {
            Pair pair;
            for (int i = 0; i < 2; ++i) pair.value[i] = tile[threadIdx.x * 2 + i][threadIdx.y + k];
            pair_at(out, (col + k) * rows + row) = pair;
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM / 2, BLOCK_ROWS}};
}
