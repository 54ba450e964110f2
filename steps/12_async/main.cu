// 12_async -- copies that go on while the threads do something else.
//
// Builds on  09_vec4_t64: its 4 x 4 pieces turned in registers, its swizzle, its order of tiles.
// Idea       cp.async copies from global to shared memory, past the registers, and nobody waits for
//            it. A block that stays for many tiles fetches the next one while it turns this one.
// Watch      The same 16 sectors a request, no conflicts, and one tile always on its way. Then time
//            it beside `one_tile`, which leaves the overlapping to the other blocks.
// Next       14_in_place has no second matrix to write to.

#include <cuda.h>
#include <cuda_pipeline.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "harness/harness.h"

//! [kernel]
// A tile is 64 rows of 16 float4; each of 256 threads turns a 4 x 4 piece of it.
constexpr int TILE_DIM = 64, QUADS = TILE_DIM / 4, TILE_QUADS = TILE_DIM * QUADS, THREADS = 256;

// Where the tile keeps float4 number `quad` of its row `row`: 09's swizzle. The 8 threads that read
// together have rows 4 apart.
__device__ int place(int row, int quad) {
    return row * QUADS + (quad ^ (row / 4 % 8));
}

// Sends tile number `number`, counted down the columns, on its way to shared memory, 16 bytes a
// copy, and waits for nothing.
__device__ void fetch(float4* tile, const float* in, int rows, int cols, int number) {
    int down = (rows + TILE_DIM - 1) / TILE_DIM;
    int tile_row = number % down * TILE_DIM, tile_col = number / down * TILE_DIM;
    int quad = threadIdx.x % QUADS, col = tile_col + quad * 4;
    for (int k = threadIdx.x / QUADS; k < TILE_DIM; k += THREADS / QUADS) {
        if (tile_row + k < rows && col < cols) {
            __pipeline_memcpy_async(&tile[place(k, quad)], &in[(tile_row + k) * cols + col], 16);
        }
    }
}

// Turns this thread's 4 x 4 piece of tile number `number` in its registers and stores it.
__device__ void turn(float* out, const float4* tile, int rows, int cols, int number) {
    int down = (rows + TILE_DIM - 1) / TILE_DIM;
    int row_quad = threadIdx.x % QUADS, col_quad = threadIdx.x / QUADS;
    int row = number % down * TILE_DIM + row_quad * 4;
    int col = number / down * TILE_DIM + col_quad * 4;
    if (row < rows && col < cols) {
        float4 a = tile[place(row_quad * 4 + 0, col_quad)];
        float4 b = tile[place(row_quad * 4 + 1, col_quad)];
        float4 c = tile[place(row_quad * 4 + 2, col_quad)];
        float4 d = tile[place(row_quad * 4 + 3, col_quad)];
        reinterpret_cast<float4&>(out[(col + 0) * rows + row]) = {a.x, b.x, c.x, d.x};
        reinterpret_cast<float4&>(out[(col + 1) * rows + row]) = {a.y, b.y, c.y, d.y};
        reinterpret_cast<float4&>(out[(col + 2) * rows + row]) = {a.z, b.z, c.z, d.z};
        reinterpret_cast<float4&>(out[(col + 3) * rows + row]) = {a.w, b.w, c.w, d.w};
    }
}

__global__ void transpose_pipeline(float* out, const float* in, int rows, int cols) {
    __shared__ float4 tiles[2][TILE_QUADS];  // one is turned while the other one arrives
    int count = (rows + TILE_DIM - 1) / TILE_DIM * ((cols + TILE_DIM - 1) / TILE_DIM);

    fetch(tiles[0], in, rows, cols, blockIdx.x);
    __pipeline_commit();

    int stage = 0;
    for (int tile = blockIdx.x; tile < count; tile += gridDim.x) {
        int next = tile + gridDim.x;
        if (next < count) {
            fetch(tiles[1 - stage], in, rows, cols, next);
        }
        __pipeline_commit();       // a group for each tile; an empty one when none is left
        __pipeline_wait_prior(1);  // all groups but the newest: this thread's part of this tile
        __syncthreads();           // and what the others copied
        turn(out, tiles[stage], rows, cols, tile);
        __syncthreads();  // nobody reads this stage any more: it may be filled again
        stage = 1 - stage;
    }
}
//! [kernel]

// As many blocks as the device holds at a time, but no more than leave each some tiles to go
// through.
template <class Kernel>
static int blocks_that_stay(Kernel kernel, int bytes, int rows, int cols) {
    constexpr int FEWEST_TILES = 4;
    int on_each = 0, multiprocessors = 0;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&on_each, kernel, THREADS, bytes);
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
    int tiles = ceil_div(rows, TILE_DIM) * ceil_div(cols, TILE_DIM);
    int blocks = ceil_div(tiles, FEWEST_TILES);
    return blocks < on_each * multiprocessors ? blocks : on_each * multiprocessors;
}

static void launch(float* out, const float* in, int rows, int cols) {
    int blocks = blocks_that_stay(transpose_pipeline, 0, rows, cols);
    transpose_pipeline<<<blocks, THREADS>>>(out, in, rows, cols);
}

// ---- more stages: more tiles that arrive at a time ----

//! [stages]
template <int STAGES>
__global__ void transpose_stages(float* out, const float* in, int rows, int cols) {
    extern __shared__ float4 tiles[];
    int count = (rows + TILE_DIM - 1) / TILE_DIM * ((cols + TILE_DIM - 1) / TILE_DIM);

    int next = blockIdx.x;
    for (int stage = 0; stage < STAGES - 1; ++stage, next += gridDim.x) {
        if (next < count) {
            fetch(tiles + stage * TILE_QUADS, in, rows, cols, next);
        }
        __pipeline_commit();
    }

    int stage = 0;
    for (int tile = blockIdx.x; tile < count; tile += gridDim.x, next += gridDim.x) {
        int free_stage = (stage + STAGES - 1) % STAGES;
        if (next < count) {
            fetch(tiles + free_stage * TILE_QUADS, in, rows, cols, next);
        }
        __pipeline_commit();
        __pipeline_wait_prior(STAGES - 1);
        __syncthreads();
        turn(out, tiles + stage * TILE_QUADS, rows, cols, tile);
        __syncthreads();
        stage = (stage + 1) % STAGES;
    }
}
//! [stages]

template <int STAGES>
static void launch_stages(float* out, const float* in, int rows, int cols) {
    int bytes = STAGES * TILE_QUADS * sizeof(float4);
    // More than 48 KiB of shared memory is given on request only.
    cudaFuncSetAttribute(transpose_stages<STAGES>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         bytes);
    int blocks = blocks_that_stay(transpose_stages<STAGES>, bytes, rows, cols);
    transpose_stages<STAGES><<<blocks, THREADS, bytes>>>(out, in, rows, cols);
}

// ---- the same without a pipeline ----

//! [one_tile]
// One tile a block. While this block waits for its tile, others turn theirs.
__global__ void transpose_one_tile(float* out, const float* in, int rows, int cols) {
    __shared__ float4 tile[TILE_QUADS];
    fetch(tile, in, rows, cols, blockIdx.x);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    turn(out, tile, rows, cols, blockIdx.x);
}
//! [one_tile]

static void launch_one_tile(float* out, const float* in, int rows, int cols) {
    int blocks = ceil_div(rows, TILE_DIM) * ceil_div(cols, TILE_DIM);
    transpose_one_tile<<<blocks, THREADS>>>(out, in, rows, cols);
}

// ---- TMA: one thread asks for a whole box of the matrix ----
//
// A tensor map, made by the host, says where the matrix lies, how long its rows are, and how large
// a box is. The Tensor Memory Accelerator (since compute capability 9.0) does the rest: all
// addresses, the edges, and the swizzle, which it knows in three sizes. With the largest one a row
// of the box is 128 bytes long, so a tile is two boxes.

constexpr int BOX_COLS = 32, BOX_QUADS = TILE_DIM * BOX_COLS / 4;

//! [tma_words]
__device__ unsigned shared_address(const void* pointer) {
    return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

// An mbarrier: 8 bytes of shared memory that count who has arrived, and the bytes that are to come.
__device__ void init(uint64_t& arrived) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&arrived))
                 : "memory");
    // The copies, which are not of this thread, must see it too.
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

// Asks for the box that begins at (row, col); its bytes are counted at `arrived` as they come.
__device__ void load_box(float4* box, const CUtensorMap& in, int row, int col, uint64_t& arrived) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
        "[%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(box)),
        "l"(&in), "r"(col), "r"(row), "r"(shared_address(&arrived))
        : "memory");
}
__device__ void load_tile(float4* tile, const CUtensorMap& in, int row, int col,
                          uint64_t& arrived) {
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&arrived)),
        "n"(TILE_QUADS * sizeof(float4))
        : "memory");
    load_box(tile, in, row, col, arrived);
    load_box(tile + BOX_QUADS, in, row, col + BOX_COLS, arrived);
}

// Waits until the phase is over: phases are told by their parity, 0, 1, 0 ...
__device__ void wait(uint64_t& arrived, unsigned parity) {
    unsigned over = 0;
    while (!over) {
        asm volatile(
            "{ .reg .pred p;\n\t"
            "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
            "selp.u32 %0, 1, 0, p; }"
            : "=r"(over)
            : "r"(shared_address(&arrived)), "r"(parity)
            : "memory");
    }
}
//! [tma_words]

// Where a box keeps float4 number `quad` of its row: the hardware's swizzle of 128 bytes, or none.
template <bool SWIZZLED>
__device__ int place_in_box(int row, int quad) {
    return row * (BOX_COLS / 4) + (SWIZZLED ? quad ^ row % 8 : quad);
}

struct Piece {
    int box, row_quad, col_quad;  // 4 x 4 floats of a box
};

//! [tma]
// Which piece this thread turns. 8 threads read together, from rows 4 apart: of the swizzle's 8
// places their rows take 2 only. So these 8 threads take other pieces: not all of one column, but
// the pairs of a diagonal. Two threads still fill a sector of `out`.
__device__ Piece piece_of(int thread) {
    int lane = thread % 8, group = thread / 8 % 2, turn = thread / 16 % 8;
    return {thread / 128, group * 8 + lane, turn ^ lane / 2};
}

// One tile a block, loaded by TMA, stored by the threads.
template <bool SWIZZLED>
__global__ void transpose_tma(float* out, const __grid_constant__ CUtensorMap in, int rows,
                              int cols) {
    __shared__ __align__(1024) float4 tile[TILE_QUADS];
    __shared__ uint64_t arrived;
    int tile_row = blockIdx.x * TILE_DIM, tile_col = blockIdx.y * TILE_DIM;
    if (threadIdx.x == 0) {
        init(arrived);
        load_tile(tile, in, tile_row, tile_col, arrived);
    }
    __syncthreads();  // nobody asks the mbarrier before it is one
    wait(arrived, 0);

    auto [box, row_quad, col_quad] = piece_of(threadIdx.x);
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
// Turns a tile of two boxes into another one, whose boxes belong to `out`. The 8 threads that read
// together take a diagonal, so that neither reading nor writing has two of them in one place.
__device__ void turn_boxes(float4* turned, const float4* tile) {
    int lane = threadIdx.x % 8, group = threadIdx.x / 8 % 2, box = threadIdx.x / 128;
    int row_quad = group * 8 + lane, col_quad = threadIdx.x / 16 % 8 ^ lane;
    const float4* from = tile + box * BOX_QUADS;
    float4 a = from[place_in_box<true>(row_quad * 4 + 0, col_quad)];
    float4 b = from[place_in_box<true>(row_quad * 4 + 1, col_quad)];
    float4 c = from[place_in_box<true>(row_quad * 4 + 2, col_quad)];
    float4 d = from[place_in_box<true>(row_quad * 4 + 3, col_quad)];
    float4* to = turned + group * BOX_QUADS;  // its rows are columns of `in`
    int col = box * BOX_COLS + col_quad * 4;
    to[place_in_box<true>(col + 0, lane)] = {a.x, b.x, c.x, d.x};
    to[place_in_box<true>(col + 1, lane)] = {a.y, b.y, c.y, d.y};
    to[place_in_box<true>(col + 2, lane)] = {a.z, b.z, c.z, d.z};
    to[place_in_box<true>(col + 3, lane)] = {a.w, b.w, c.w, d.w};
}

__device__ void store_box(const CUtensorMap& out, const float4* box, int row, int col) {
    asm volatile(
        "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];" ::"l"(&out),
        "r"(shared_address(box)), "r"(col), "r"(row)
        : "memory");
}
// Stores are waited for in groups, as cp.async is, by the thread that asked for them.
__device__ void store_tile(const CUtensorMap& out, const float4* tile, int row, int col) {
    store_box(out, tile, row, col);
    store_box(out, tile + BOX_QUADS, row, col + BOX_COLS);
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
// Until all but the newest LEFT groups have been read from shared memory.
template <int LEFT>
__device__ void wait_until_read() {
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(LEFT) : "memory");
}
// What threads have written to shared memory comes before what TMA reads there.
__device__ void fence_before_store() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__global__ void transpose_tma_store(const __grid_constant__ CUtensorMap out,
                                    const __grid_constant__ CUtensorMap in) {
    __shared__ __align__(1024) float4 tile[TILE_QUADS], turned[TILE_QUADS];
    __shared__ uint64_t arrived;
    int tile_row = blockIdx.x * TILE_DIM, tile_col = blockIdx.y * TILE_DIM;
    if (threadIdx.x == 0) {
        init(arrived);
        load_tile(tile, in, tile_row, tile_col, arrived);
    }
    __syncthreads();
    wait(arrived, 0);
    turn_boxes(turned, tile);
    fence_before_store();
    __syncthreads();
    if (threadIdx.x == 0) {
        store_tile(out, turned, tile_col, tile_row);
        wait_until_read<0>();  // a block's shared memory is gone when it ends
    }
}
//! [tma_store]

//! [tma_pipeline]
// `pipeline`, by TMA: two tiles arrive or are turned, two are turned or leave.
__global__ void transpose_tma_pipeline(const __grid_constant__ CUtensorMap out,
                                       const __grid_constant__ CUtensorMap in, int rows, int cols) {
    extern __shared__ float4 stages[];
    // 1024 bytes are more than what an array is aligned to by itself.
    unsigned skip = (1024 - shared_address(stages) % 1024) % 1024 / sizeof(float4);
    float4* tiles = stages + skip;
    float4* turned = tiles + 2 * TILE_QUADS;
    __shared__ uint64_t arrived[2];
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
            wait_until_read<1>();  // what left this stage two tiles ago
        }
        __syncthreads();
        wait(arrived[stage], parity);
        turn_boxes(turned + stage * TILE_QUADS, tiles + stage * TILE_QUADS);
        fence_before_store();
        __syncthreads();
        if (threadIdx.x == 0) {
            store_tile(out, turned + stage * TILE_QUADS, tile / down * TILE_DIM,
                       tile % down * TILE_DIM);
        }
        if (stage == 1) parity = 1 - parity;
        stage = 1 - stage;
    }
    if (threadIdx.x == 0) wait_until_read<0>();
}
//! [tma_pipeline]

//! [map]
// The map of a matrix of `rows` x `cols` floats, for boxes of TILE_DIM rows and BOX_COLS columns.
static CUtensorMap map_of(const float* matrix, int rows, int cols, CUtensorMapSwizzle swizzle) {
    // Of the driver's functions; asked for here, no program has to be linked with the driver.
    static void* encode = nullptr;
    cudaDriverEntryPointQueryResult found;
    if (!encode) {
        cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000,
                                         cudaEnableDefault, &found);
    }
    // The innermost dimension comes first, and needs no stride.
    cuuint64_t size[] = {static_cast<cuuint64_t>(cols), static_cast<cuuint64_t>(rows)};
    cuuint64_t stride[] = {cols * sizeof(float)};
    cuuint32_t box[] = {BOX_COLS, TILE_DIM}, every[] = {1, 1};
    CUtensorMap map{};
    if (!encode || reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(encode)(
                       &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, const_cast<float*>(matrix), size,
                       stride, box, every, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                       CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)) {
        std::fputs("This driver makes no tensor maps: TMA needs CUDA 12 or later.\n", stderr);
        std::exit(2);
    }
    return map;
}
//! [map]

template <bool SWIZZLED>
static void launch_tma(float* out, const float* in, int rows, int cols) {
    dim3 grid(ceil_div(rows, TILE_DIM), ceil_div(cols, TILE_DIM));
    CUtensorMap map =
        map_of(in, rows, cols, SWIZZLED ? CU_TENSOR_MAP_SWIZZLE_128B : CU_TENSOR_MAP_SWIZZLE_NONE);
    transpose_tma<SWIZZLED><<<grid, THREADS>>>(out, map, rows, cols);
}

static void launch_tma_store(float* out, const float* in, int rows, int cols) {
    dim3 grid(ceil_div(rows, TILE_DIM), ceil_div(cols, TILE_DIM));
    transpose_tma_store<<<grid, THREADS>>>(map_of(out, cols, rows, CU_TENSOR_MAP_SWIZZLE_128B),
                                           map_of(in, rows, cols, CU_TENSOR_MAP_SWIZZLE_128B));
}

static void launch_tma_pipeline(float* out, const float* in, int rows, int cols) {
    int bytes = 4 * TILE_QUADS * sizeof(float4) + 1024;
    cudaFuncSetAttribute(transpose_tma_pipeline, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         bytes);
    int blocks = blocks_that_stay(transpose_tma_pipeline, bytes, rows, cols);
    transpose_tma_pipeline<<<blocks, THREADS, bytes>>>(
        map_of(out, cols, rows, CU_TENSOR_MAP_SWIZZLE_128B),
        map_of(in, rows, cols, CU_TENSOR_MAP_SWIZZLE_128B), rows, cols);
}

int main(int argc, char** argv) {
    // clang-format off
    return run_step(argc, argv, {
        {.name = "pipeline", .about = "cp.async, 2 stages: one tile arrives while one is turned",
         .launch = launch, .rows_multiple = 4, .cols_multiple = 4},
        {.name = "pipeline_3", .about = "cp.async, 3 stages",
         .launch = launch_stages<3>, .rows_multiple = 4, .cols_multiple = 4},
        {.name = "pipeline_4", .about = "cp.async, 4 stages",
         .launch = launch_stages<4>, .rows_multiple = 4, .cols_multiple = 4},
        {.name = "one_tile", .about = "cp.async, one tile a block: nothing to overlap within it",
         .launch = launch_one_tile, .rows_multiple = 4, .cols_multiple = 4},
        {.name = "tma", .about = "one tile a block, loaded by TMA, swizzled on the way",
         .launch = launch_tma<true>, .rows_multiple = 4, .cols_multiple = 4},
        {.name = "tma_plain", .about = "the same without the swizzle",
         .launch = launch_tma<false>, .rows_multiple = 4, .cols_multiple = 4},
        {.name = "tma_store", .about = "loaded and stored by TMA",
         .launch = launch_tma_store, .rows_multiple = 4, .cols_multiple = 4},
        {.name = "tma_pipeline", .about = "loaded and stored by TMA, 2 stages, blocks that stay",
         .launch = launch_tma_pipeline, .rows_multiple = 4, .cols_multiple = 4},
    });
    // clang-format on
}
