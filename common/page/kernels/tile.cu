// The kernel for the explorer's sliders. It covers lessons 03 to 05. The block size, the elements
// per thread and the padding are template arguments, because a compiler generates different
// instructions for different constants. The page contains the PTX of every combination.

//! [kernel]
template <int DOWN, int ELEMENTS, int PADDING>
__global__ void transpose_tile(float* out, const float* in, int rows, int cols) {
    constexpr int TILE_ROWS = DOWN * ELEMENTS;
    __shared__ float tile[TILE_ROWS][32 + PADDING];

    // A block has 32 x DOWN threads. Each thread loads ELEMENTS elements that are DOWN rows apart.
    int col = blockIdx.x * 32 + threadIdx.x;
    int row = blockIdx.y * TILE_ROWS + threadIdx.y;
    for (int k = 0; k < TILE_ROWS; k += DOWN) {
        if (row + k < rows && col < cols) {
            tile[threadIdx.y + k][threadIdx.x] = in[(row + k) * cols + col];
        }
    }

    __syncthreads();

    // The lanes now walk down the columns of the tile, which are rows of `out`.
    for (int k = 0; k < TILE_ROWS; k += DOWN) {
        unsigned tile_element = (threadIdx.y + k) * 32 + threadIdx.x;
        unsigned down = tile_element % TILE_ROWS;
        unsigned across = tile_element / TILE_ROWS;
        row = blockIdx.y * TILE_ROWS + down;
        col = blockIdx.x * 32 + across;
        if (row < rows && col < cols) {
            out[col * rows + row] = tile[down][across];
        }
    }
}
//! [kernel]

// clang-format off
#define KERNEL(down, elements, padding) \
    template __global__ void transpose_tile<down, elements, padding>(float*, const float*, int, int);
#define EACH_PADDING(down, elements) \
    KERNEL(down, elements, 0) KERNEL(down, elements, 1) KERNEL(down, elements, 2) \
    KERNEL(down, elements, 3) KERNEL(down, elements, 4)
#define EACH_COUNT(down) \
    EACH_PADDING(down, 1) EACH_PADDING(down, 2) EACH_PADDING(down, 4) EACH_PADDING(down, 8)
EACH_COUNT(4)
EACH_COUNT(8)
EACH_COUNT(16)
EACH_COUNT(32)
// clang-format on
