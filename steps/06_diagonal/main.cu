// 06_diagonal -- blocks take their tiles along diagonals.
//
// Builds on  05_coarsened: the same loads and stores. Only the tile that a block takes changes.
// Idea       Blocks start roughly in the order of their index. Renumber the tiles, so that blocks
//            that run together spread over the memory's channels in both matrices.
// Watch      No counter changes: 4 sectors per request and no conflicts, in every order. But the
//            time changes. On an H200, diagonals lose about 6 %, and column-major order gains 6 %.
// Next       07_vec2 returns to the plain order and moves two floats with each instruction.

#include "harness/harness.h"

//! [kernel]
template <int TILE_DIM, int BLOCK_ROWS>
__global__ void transpose_diagonal(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    // Number the tiles down the columns, and shift each row of tiles sideways by its index.
    int block = blockIdx.y * gridDim.x + blockIdx.x;
    int tile_row = block % gridDim.y;
    int tile_col = (block / gridDim.y + tile_row) % gridDim.x;

    int col = tile_col * TILE_DIM + threadIdx.x;
    int row = tile_row * TILE_DIM + threadIdx.y;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row + k < rows && col < cols) {
            tile[threadIdx.y + k][threadIdx.x] = in[(row + k) * cols + col];
        }
    }

    __syncthreads();

    // The lanes of a warp now read a column of the tile, which is a row of `out`.
    col = tile_col * TILE_DIM + threadIdx.y;
    row = tile_row * TILE_DIM + threadIdx.x;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row < rows && col + k < cols) {
            out[(col + k) * rows + row] = tile[threadIdx.x][threadIdx.y + k];
        }
    }
}
//! [kernel]

constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;

static void launch(float* out, const float* in, int rows, int cols) {
    dim3 block(TILE_DIM, BLOCK_ROWS);
    dim3 grid(ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM));
    transpose_diagonal<TILE_DIM, BLOCK_ROWS><<<grid, block>>>(out, in, rows, cols);
}

// ---- the same kernel in other orders ----
//
// An order returns the tile of block number `block`, in a matrix of `tall` x `wide` tiles. It must
// give each tile to exactly one block, even on grids that are not square.

struct Tile {
    int row, col;
};

//! [orders]
__device__ Tile row_major(int block, int, int wide) {
    return {block / wide, block % wide};
}

__device__ Tile column_major(int block, int tall, int) {
    return {block % tall, block / tall};
}

// Goes through the tiles in bands of 8 rows, and column by column within a band. So 64 consecutive
// blocks cover a square of 8 x 8 tiles. The last band may have fewer rows.
__device__ Tile supertile(int block, int tall, int wide) {
    int band_row = block / (8 * wide) * 8;
    int band_height = min(8, tall - band_row);
    int in_band = block % (8 * wide);
    return {band_row + in_band % band_height, in_band / band_height};
}

// A shortcut for matrices with as many tiles across as down. It does not divide by `tall`.
__device__ Tile diagonal_square(int block, int, int wide) {
    int row = block % wide;
    return {row, (block / wide + row) % wide};
}
//! [orders]

//! [ordered]
template <Tile (*ORDER)(int block, int tall, int wide)>
__global__ void transpose_ordered(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    Tile place = ORDER(blockIdx.y * gridDim.x + blockIdx.x, gridDim.y, gridDim.x);

    int col = place.col * TILE_DIM + threadIdx.x;
    int row = place.row * TILE_DIM + threadIdx.y;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row + k < rows && col < cols) {
            tile[threadIdx.y + k][threadIdx.x] = in[(row + k) * cols + col];
        }
    }

    __syncthreads();

    col = place.col * TILE_DIM + threadIdx.y;
    row = place.row * TILE_DIM + threadIdx.x;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row < rows && col + k < cols) {
            out[(col + k) * rows + row] = tile[threadIdx.x][threadIdx.y + k];
        }
    }
}
//! [ordered]

template <Tile (*ORDER)(int block, int tall, int wide)>
static void launch_ordered(float* out, const float* in, int rows, int cols) {
    dim3 block(TILE_DIM, BLOCK_ROWS);
    dim3 grid(ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM));
    transpose_ordered<ORDER><<<grid, block>>>(out, in, rows, cols);
}

static void launch_diagonal_square(float* out, const float* in, int rows, int cols) {
    bool square = ceil_div(rows, TILE_DIM) == ceil_div(cols, TILE_DIM);
    (square ? launch_ordered<diagonal_square> : launch)(out, in, rows, cols);
}

int main(int argc, char** argv) {
    // clang-format off
    return run_step(argc, argv, {
        {.name = "diagonal", .about = "tiles along diagonals, on grids of any shape",
         .launch = launch},
        {.name = "diagonal_square", .about = "tiles along diagonals, by the shortcut for square grids",
         .launch = launch_diagonal_square},
        {.name = "row_major", .about = "tiles row by row, in the order of the blocks' numbers",
         .launch = launch_ordered<row_major>},
        {.name = "column_major", .about = "tiles column by column: consecutive blocks fill rows of out",
         .launch = launch_ordered<column_major>},
        {.name = "supertile", .about = "tiles in squares of 8 x 8",
         .launch = launch_ordered<supertile>},
    });
    // clang-format on
}
