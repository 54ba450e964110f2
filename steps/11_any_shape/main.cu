// 11_any_shape -- matrices of any shape, with elements of any size.
//
// Builds on  10_registers: its ideas, applied to matrices that its kernels cannot handle.
// Idea       Templates, 64-bit indices and pitches suit any matrix. Packing and shifting add speed.
// Watch      With 1 byte per lane, a request moves 1 sector, so there are 4 times the requests.
// Next       12_async lets the hardware copy by itself.

#include <cstdint>

#include "harness/harness.h"

//! [any]
template <typename T, int TILE_DIM, int BLOCK_ROWS>
__global__ void transpose_any(T* out, const T* in, int rows, int cols, std::int64_t out_pitch,
                              std::int64_t in_pitch) {
    // Each row begins `pitch` elements after the previous one. If the matrix is part of a larger
    // one, the pitch is greater than the length of a row.
    __shared__ T tile[TILE_DIM][TILE_DIM + 1];

    // blockIdx.x counts tiles down the matrix, so the blocks run in column-major order.
    int tile_row = blockIdx.x * TILE_DIM;
    int tile_col = blockIdx.y * TILE_DIM;

    int row = tile_row + threadIdx.y;
    int col = tile_col + threadIdx.x;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row + k < rows && col < cols) {
            // The product is computed in 64 bits, because the pitch has 64 bits.
            tile[threadIdx.y + k][threadIdx.x] = in[(row + k) * in_pitch + col];
        }
    }

    __syncthreads();

    row = tile_row + threadIdx.x;
    col = tile_col + threadIdx.y;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row < rows && col + k < cols) {
            out[(col + k) * out_pitch + row] = tile[threadIdx.x][threadIdx.y + k];
        }
    }
}
//! [any]

// The harness passes pointers to float, whatever the type of the elements.
template <typename T>
static void launch_any(float* out, const float* in, int rows, int cols) {
    constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;
    dim3 block(TILE_DIM, BLOCK_ROWS);
    dim3 grid(ceil_div(rows, TILE_DIM), ceil_div(cols, TILE_DIM));
    transpose_any<T, TILE_DIM, BLOCK_ROWS><<<grid, block>>>(
        reinterpret_cast<T*>(out), reinterpret_cast<const T*>(in), rows, cols, rows, cols);
}

// ---- rows of `out` that do not begin at sectors: start the stores earlier ----

//! [kernel]
// A block starts its part of each row of `out` at the start of a sector. For some rows that is up
// to LEAD elements before the tile, so the tile holds LEAD more rows of `in`.
constexpr int SECTOR = 8, LEAD = SECTOR - 1;  // floats

template <int TILE_DIM, int BLOCK_ROWS>
__global__ void transpose_shifted(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM + LEAD][TILE_DIM + 1];

    int tile_row = blockIdx.y * TILE_DIM;
    int tile_col = blockIdx.x * TILE_DIM;

    for (int k = threadIdx.y; k < TILE_DIM + LEAD; k += BLOCK_ROWS) {
        int row = tile_row - LEAD + k;
        int col = tile_col + threadIdx.x;
        if (row >= 0 && row < rows && col < cols) {
            tile[k][threadIdx.x] = in[row * cols + col];
        }
    }

    __syncthreads();

    for (int k = threadIdx.y; k < TILE_DIM; k += BLOCK_ROWS) {
        int col = tile_col + k;
        int phase = (col * rows + tile_row) % SECTOR;
        int row = tile_row - phase + int(threadIdx.x);
        if (row >= 0 && row < rows && col < cols) {
            out[col * rows + row] = tile[threadIdx.x + LEAD - phase][k];
        }
    }
}
//! [kernel]

static void launch_shifted(float* out, const float* in, int rows, int cols) {
    constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;
    dim3 block(TILE_DIM, BLOCK_ROWS);
    // Stores begin and end up to LEAD rows earlier, so the last rows may need one more tile.
    dim3 grid(ceil_div(cols, TILE_DIM), ceil_div(rows + LEAD, TILE_DIM));
    transpose_shifted<TILE_DIM, BLOCK_ROWS><<<grid, block>>>(out, in, rows, cols);
}

// ---- bytes: four per word ----

//! [packed]
// Transposes 4 x 4 bytes: one word per row becomes one word per column. __byte_perm combines any
// four of the eight bytes of two words. Each digit of its last argument selects a byte, the lowest
// digit first.
__device__ void transpose_words(std::uint32_t (&word)[4]) {
    auto [a, b, c, d] = word;
    std::uint32_t ab01 = __byte_perm(a, b, 0x5140), ab23 = __byte_perm(a, b, 0x7362);
    std::uint32_t cd01 = __byte_perm(c, d, 0x5140), cd23 = __byte_perm(c, d, 0x7362);
    word[0] = __byte_perm(ab01, cd01, 0x5410);
    word[1] = __byte_perm(ab01, cd01, 0x7632);
    word[2] = __byte_perm(ab23, cd23, 0x5410);
    word[3] = __byte_perm(ab23, cd23, 0x7632);
}

// Transposes a tile of 128 x 128 bytes. `rows` and `cols` are multiples of 4.
template <int BLOCK_ROWS>
__global__ void transpose_packed(std::uint8_t* out, const std::uint8_t* in, int rows, int cols) {
    constexpr int PIECES = 32 / BLOCK_ROWS;
    __shared__ std::uint32_t tile[4][32][33];  // tile[i][x] stores column 4 * x + i

    int tile_row = blockIdx.x * 128;
    int tile_col = blockIdx.y * 128;

    std::uint32_t piece[PIECES][4];
    std::int64_t col = tile_col + threadIdx.x * 4;
    for (int k = 0; k < PIECES; ++k) {
        int row = tile_row + (threadIdx.y + k * BLOCK_ROWS) * 4;
        if (row < rows && col < cols) {
            for (int i = 0; i < 4; ++i) {
                piece[k][i] = reinterpret_cast<const std::uint32_t&>(
                    in[(row + i) * std::int64_t{cols} + col]);
            }
        }
    }
    for (int k = 0; k < PIECES; ++k) {
        transpose_words(piece[k]);
        for (int i = 0; i < 4; ++i) {
            tile[i][threadIdx.x][threadIdx.y + k * BLOCK_ROWS] = piece[k][i];
        }
    }

    __syncthreads();

    // Each warp stores one column, as 32 words of four rows each.
    int row = tile_row + threadIdx.x * 4;
    for (int k = threadIdx.y; k < 128; k += BLOCK_ROWS) {
        std::int64_t col = tile_col + k;
        if (row < rows && col < cols) {
            std::uint32_t& to = reinterpret_cast<std::uint32_t&>(out[col * rows + row]);
            to = tile[k % 4][k / 4][threadIdx.x];
        }
    }
}
//! [packed]

static void launch_packed(float* out, const float* in, int rows, int cols) {
    constexpr int BLOCK_ROWS = 16;
    dim3 block(32, BLOCK_ROWS);
    dim3 grid(ceil_div(rows, 128), ceil_div(cols, 128));
    transpose_packed<BLOCK_ROWS><<<grid, block>>>(reinterpret_cast<std::uint8_t*>(out),
                                                  reinterpret_cast<const std::uint8_t*>(in), rows,
                                                  cols);
}

// ---- a few columns ----

//! [strip]
// A block takes a strip of STRIP_ROWS rows and at most STRIP_COLS columns. Its threads walk along
// the strip, element by element, so that none is idle if there are only a few columns.
template <int STRIP_ROWS, int STRIP_COLS>
__global__ void transpose_strip(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[STRIP_ROWS * (STRIP_COLS + 1)];

    int strip_row = blockIdx.x * STRIP_ROWS;
    int strip_col = blockIdx.y * STRIP_COLS;
    int height = min(STRIP_ROWS, rows - strip_row);
    int width = min(STRIP_COLS, cols - strip_col);
    int pitch = width | 1;  // odd, so that 32 lanes that read a column use 32 banks

    for (int i = threadIdx.x; i < height * width; i += blockDim.x) {
        std::int64_t row = strip_row + i / width;
        tile[i / width * pitch + i % width] = in[row * cols + strip_col + i % width];
    }

    __syncthreads();

    for (int i = threadIdx.x; i < height * width; i += blockDim.x) {
        std::int64_t col = strip_col + i / height;
        out[col * rows + strip_row + i % height] = tile[i % height * pitch + i / height];
    }
}
//! [strip]

static void launch_strip(float* out, const float* in, int rows, int cols) {
    constexpr int STRIP_ROWS = 128, STRIP_COLS = 64;
    dim3 grid(ceil_div(rows, STRIP_ROWS), ceil_div(cols, STRIP_COLS));
    transpose_strip<STRIP_ROWS, STRIP_COLS><<<grid, 256>>>(out, in, rows, cols);
}

int main(int argc, char** argv) {
    // clang-format off
    return run_step(argc, argv, {
        {.name = "any", .about = "float: 32 x 8 threads, column-major order",
         .launch = launch_any<float>},
        {.name = "shifted", .about = "float: stores begin at sectors; 32 x 8 threads",
         .launch = launch_shifted},
        {.name = "any_int8", .about = "the same for bytes",
         .launch = launch_any<std::uint8_t>, .element_size = 1},
        {.name = "any_int16", .about = "the same for elements of 2 bytes",
         .launch = launch_any<std::uint16_t>, .element_size = 2},
        {.name = "any_int64", .about = "the same for elements of 8 bytes",
         .launch = launch_any<std::uint64_t>, .element_size = 8},
        {.name = "any_16_bytes", .about = "the same for elements of 16 bytes",
         .launch = launch_any<float4>, .element_size = 16},
        {.name = "packed_int8", .about = "bytes: moved as words, 4 x 4 bytes transposed in registers",
         .launch = launch_packed, .rows_multiple = 4, .cols_multiple = 4, .element_size = 1},
        {.name = "strip", .about = "float: strips of 128 rows and at most 64 columns",
         .launch = launch_strip},
    });
    // clang-format on
}
