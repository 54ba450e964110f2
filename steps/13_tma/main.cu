// 13_tma -- a hardware unit that copies rows, and whole boxes of a matrix.
//
// Builds on  12_async: copies run in the background. Now one thread requests a whole row or box.
// Idea       One instruction copies a row or a box of rows; an mbarrier counts arriving bytes.
// Watch      Boxes take a sixteenth of lesson 12's requests, and the same sectors.
// Next       14_in_place has no second matrix to write to.

#include "harness/blocks_that_stay.h"
#include "tma.h"

//! [kernel]
constexpr int TILE_DIM = 64, QUADS = TILE_DIM / 4, ROW = QUADS + 1,
              THREADS = 256;  // a quad: float4

__global__ void transpose_rows(float* out, const float* in, int rows, int cols) {
    __shared__ float4 tile[TILE_DIM * ROW];  // rows of `in`, each padded by one float4
    __shared__ Mbarrier arrived;
    int tile_row = blockIdx.x * TILE_DIM, tile_col = blockIdx.y * TILE_DIM;
    int height = min(TILE_DIM, rows - tile_row);
    int bytes_of_row = min(TILE_DIM, cols - tile_col) * int(sizeof(float));

    if (threadIdx.x == 0) {
        init(arrived);
        expect(arrived, height * bytes_of_row);
    }
    __syncthreads();  // no thread uses the mbarrier before it is initialized
    if (int(threadIdx.x) < height) {
        const float* from = &in[(tile_row + threadIdx.x) * cols + tile_col];
        load_row(&tile[threadIdx.x * ROW], from, bytes_of_row, arrived);
    }
    wait(arrived, 0);

    // Rows that are 4 apart begin in only 2 of 8 bank groups. To avoid conflicts, the 8 threads
    // that read together take pieces on a diagonal. Two of them still fill a sector of `out`.
    int row_quad = threadIdx.x % QUADS;
    int col_quad = (threadIdx.x / QUADS + row_quad / 2) % QUADS;
    int row = tile_row + row_quad * 4, col = tile_col + col_quad * 4;
    if (row < rows && col < cols) {
        float4 a = tile[(row_quad * 4 + 0) * ROW + col_quad];
        float4 b = tile[(row_quad * 4 + 1) * ROW + col_quad];
        float4 c = tile[(row_quad * 4 + 2) * ROW + col_quad];
        float4 d = tile[(row_quad * 4 + 3) * ROW + col_quad];
        reinterpret_cast<float4&>(out[(col + 0) * rows + row]) = {a.x, b.x, c.x, d.x};
        reinterpret_cast<float4&>(out[(col + 1) * rows + row]) = {a.y, b.y, c.y, d.y};
        reinterpret_cast<float4&>(out[(col + 2) * rows + row]) = {a.z, b.z, c.z, d.z};
        reinterpret_cast<float4&>(out[(col + 3) * rows + row]) = {a.w, b.w, c.w, d.w};
    }
}
//! [kernel]

static dim3 grid_of(int rows, int cols) {
    return dim3(ceil_div(rows, TILE_DIM), ceil_div(cols, TILE_DIM));
}

static void launch_rows(float* out, const float* in, int rows, int cols) {
    transpose_rows<<<grid_of(rows, cols), THREADS>>>(out, in, rows, cols);
}

// ---- a whole box at a time ----
//
// The host's tensor map contains the address of the matrix, the length of its rows and the size of
// a box. The Tensor Memory Accelerator handles addresses, edges and the swizzle, which has three
// possible sizes. With the largest, a row of a box is 128 bytes, so a tile is two boxes.

constexpr int BOX_COLS = 32, BOX_QUADS = TILE_DIM * BOX_COLS / 4, TILE_QUADS = 2 * BOX_QUADS;

// Returns the index of float4 `quad` of a row in a box, with the 128-byte swizzle or without.
template <bool SWIZZLED>
__device__ int place_in_box(int row, int quad) {
    return row * (BOX_COLS / 4) + (SWIZZLED ? quad ^ row % 8 : quad);
}

//! [tma]
// Requests both boxes of a tile.
__device__ void load_tile(float4* tile, const CUtensorMap& in, int row, int col,
                          Mbarrier& arrived) {
    expect(arrived, TILE_QUADS * sizeof(float4));
    load_box(tile, in, row, col, arrived);
    load_box(tile + BOX_QUADS, in, row, col + BOX_COLS, arrived);
}

// Handles one tile per block, which TMA loads and the threads store.
template <bool SWIZZLED>
__global__ void transpose_tma(float* out, const __grid_constant__ CUtensorMap in, int rows,
                              int cols) {
    __shared__ __align__(1024) float4 tile[TILE_QUADS];
    __shared__ Mbarrier arrived;
    int tile_row = blockIdx.x * TILE_DIM, tile_col = blockIdx.y * TILE_DIM;
    if (threadIdx.x == 0) {
        init(arrived);
        load_tile(tile, in, tile_row, tile_col, arrived);
    }
    __syncthreads();  // no thread waits at the mbarrier before it is initialized
    wait(arrived, 0);

    // Again the threads take pieces on a diagonal, because rows that are 4 apart share banks.
    int row_quad = threadIdx.x % QUADS, box = threadIdx.x / 128;
    int col_quad = threadIdx.x / QUADS % 8 ^ row_quad % 8 / 2;
    const float4* from = tile + box * BOX_QUADS;
    int row = tile_row + row_quad * 4, col = tile_col + box * BOX_COLS + col_quad * 4;
    if (row < rows && col < cols) {
        float4 a = from[place_in_box<SWIZZLED>(row_quad * 4 + 0, col_quad)];
        float4 b = from[place_in_box<SWIZZLED>(row_quad * 4 + 1, col_quad)];
        float4 c = from[place_in_box<SWIZZLED>(row_quad * 4 + 2, col_quad)];
        float4 d = from[place_in_box<SWIZZLED>(row_quad * 4 + 3, col_quad)];
        reinterpret_cast<float4&>(out[(col + 0) * rows + row]) = {a.x, b.x, c.x, d.x};
        reinterpret_cast<float4&>(out[(col + 1) * rows + row]) = {a.y, b.y, c.y, d.y};
        reinterpret_cast<float4&>(out[(col + 2) * rows + row]) = {a.z, b.z, c.z, d.z};
        reinterpret_cast<float4&>(out[(col + 3) * rows + row]) = {a.w, b.w, c.w, d.w};
    }
}
//! [tma]

// ---- TMA in both directions ----

//! [tma_store]
// Transposes a tile of two boxes into another one, whose boxes belong to `out`. The 8 threads that
// read together take pieces on a diagonal, so that neither reads nor writes have conflicts.
__device__ void transpose_boxes(float4* transposed, const float4* tile) {
    int lane = threadIdx.x % 8, group = threadIdx.x / 8 % 2, box = threadIdx.x / 128;
    int row_quad = group * 8 + lane, col_quad = threadIdx.x / 16 % 8 ^ lane;
    const float4* from = tile + box * BOX_QUADS;
    float4 a = from[place_in_box<true>(row_quad * 4 + 0, col_quad)];
    float4 b = from[place_in_box<true>(row_quad * 4 + 1, col_quad)];
    float4 c = from[place_in_box<true>(row_quad * 4 + 2, col_quad)];
    float4 d = from[place_in_box<true>(row_quad * 4 + 3, col_quad)];
    float4* to = transposed + group * BOX_QUADS;  // its rows are columns of `in`
    int col = box * BOX_COLS + col_quad * 4;
    to[place_in_box<true>(col + 0, lane)] = {a.x, b.x, c.x, d.x};
    to[place_in_box<true>(col + 1, lane)] = {a.y, b.y, c.y, d.y};
    to[place_in_box<true>(col + 2, lane)] = {a.z, b.z, c.z, d.z};
    to[place_in_box<true>(col + 3, lane)] = {a.w, b.w, c.w, d.w};
}

__device__ void store_tile(const CUtensorMap& out, const float4* tile, int row, int col) {
    store_box(out, tile, row, col);
    store_box(out, tile + BOX_QUADS, row, col + BOX_COLS);
    commit_stores();
}

__global__ void transpose_tma_store(const __grid_constant__ CUtensorMap out,
                                    const __grid_constant__ CUtensorMap in) {
    __shared__ __align__(1024) float4 tile[TILE_QUADS], transposed[TILE_QUADS];
    __shared__ Mbarrier arrived;
    int tile_row = blockIdx.x * TILE_DIM, tile_col = blockIdx.y * TILE_DIM;
    if (threadIdx.x == 0) {
        init(arrived);
        load_tile(tile, in, tile_row, tile_col, arrived);
    }
    __syncthreads();
    wait(arrived, 0);
    transpose_boxes(transposed, tile);
    fence_before_store();
    __syncthreads();
    if (threadIdx.x == 0) {
        store_tile(out, transposed, tile_col, tile_row);
        wait_until_read<0>();  // TMA must have read the tile before the block ends
    }
}
//! [tma_store]

//! [tma_pipeline]
// The `pipeline` of 12 with TMA: 2 stages for arriving tiles, and 2 for transposed tiles.
__global__ void transpose_tma_pipeline(const __grid_constant__ CUtensorMap out,
                                       const __grid_constant__ CUtensorMap in, int rows, int cols) {
    extern __shared__ float4 stages[];
    // Dynamic shared memory may not be aligned to the 1024 bytes that the swizzle needs.
    unsigned skip = (1024 - shared_address(stages) % 1024) % 1024 / sizeof(float4);
    float4* tiles = stages + skip;
    float4* transposed = tiles + 2 * TILE_QUADS;
    __shared__ Mbarrier arrived[2];
    int down = (rows + TILE_DIM - 1) / TILE_DIM;
    int count = down * ((cols + TILE_DIM - 1) / TILE_DIM);
    if (threadIdx.x == 0) {
        init(arrived[0]);
        init(arrived[1]);
        int tile = blockIdx.x;
        if (tile < count) {
            load_tile(tiles, in, tile % down * TILE_DIM, tile / down * TILE_DIM, arrived[0]);
        }
    }

    int stage = 0, parity = 0;
    for (int tile = blockIdx.x; tile < count; tile += gridDim.x) {
        int next = tile + gridDim.x;
        if (threadIdx.x == 0) {
            if (next < count) {
                load_tile(tiles + (1 - stage) * TILE_QUADS, in, next % down * TILE_DIM,
                          next / down * TILE_DIM, arrived[1 - stage]);
            }
            wait_until_read<1>();  // waits until TMA has read the tile of two rounds ago
        }
        __syncthreads();
        wait(arrived[stage], parity);
        transpose_boxes(transposed + stage * TILE_QUADS, tiles + stage * TILE_QUADS);
        fence_before_store();
        __syncthreads();
        if (threadIdx.x == 0) {
            store_tile(out, transposed + stage * TILE_QUADS, tile / down * TILE_DIM,
                       tile % down * TILE_DIM);
        }
        if (stage == 1) parity = 1 - parity;
        stage = 1 - stage;
    }
    if (threadIdx.x == 0) wait_until_read<0>();
}
//! [tma_pipeline]

template <bool SWIZZLED>
static void launch_tma(float* out, const float* in, int rows, int cols) {
    CUtensorMap map = map_of(in, rows, cols, TILE_DIM, BOX_COLS,
                             SWIZZLED ? CU_TENSOR_MAP_SWIZZLE_128B : CU_TENSOR_MAP_SWIZZLE_NONE);
    transpose_tma<SWIZZLED><<<grid_of(rows, cols), THREADS>>>(out, map, rows, cols);
}

static CUtensorMap swizzled_map_of(const float* matrix, int rows, int cols) {
    return map_of(matrix, rows, cols, TILE_DIM, BOX_COLS, CU_TENSOR_MAP_SWIZZLE_128B);
}

static void launch_tma_store(float* out, const float* in, int rows, int cols) {
    transpose_tma_store<<<grid_of(rows, cols), THREADS>>>(swizzled_map_of(out, cols, rows),
                                                          swizzled_map_of(in, rows, cols));
}

static void launch_tma_pipeline(float* out, const float* in, int rows, int cols) {
    constexpr int BYTES = 4 * TILE_QUADS * sizeof(float4) + 1024;
    cudaFuncSetAttribute(transpose_tma_pipeline, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         BYTES);
    dim3 tiles = grid_of(rows, cols);
    int blocks = blocks_that_stay(transpose_tma_pipeline, THREADS, BYTES, tiles.x * tiles.y);
    transpose_tma_pipeline<<<blocks, THREADS, BYTES>>>(swizzled_map_of(out, cols, rows),
                                                       swizzled_map_of(in, rows, cols), rows, cols);
}

int main(int argc, char** argv) {
    // clang-format off
    return run_step(argc, argv, {
        {.name = "tma", .about = "a tile of two boxes, loaded and swizzled by TMA",
         .launch = launch_tma<true>, .rows_multiple = 4, .cols_multiple = 4},
        {.name = "rows", .about = "one copy per row of a tile: padded rows, no tensor map",
         .launch = launch_rows, .rows_multiple = 4, .cols_multiple = 4},
        {.name = "tma_plain", .about = "boxes without the swizzle",
         .launch = launch_tma<false>, .rows_multiple = 4, .cols_multiple = 4},
        {.name = "tma_store", .about = "loaded and stored by TMA",
         .launch = launch_tma_store, .rows_multiple = 4, .cols_multiple = 4},
        {.name = "tma_pipeline", .about = "loaded and stored by TMA, 2 stages, blocks that stay",
         .launch = launch_tma_pipeline, .rows_multiple = 4, .cols_multiple = 4},
    });
    // clang-format on
}
