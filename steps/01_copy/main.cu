// 01_copy -- the ceiling: a transpose moves the same bytes as a copy.
//
// Builds on  nothing: this is the first lesson with a matrix.
// Idea       A copy moves only the bytes that a transpose must move. Its speed is the upper limit.
// Watch      The 32 lanes of a warp read 32 neighbours (128 bytes, 4 sectors), and write the same
//            number. Speed is 2 x bytes / time, since every byte is read once and written once.
// Next       02_naive stores the same elements elsewhere, and its stores cost more.

#include <algorithm>
#include <thread>
#include "harness/harness.h"

//! [element]
__global__ void copy_element(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;

    if (row < rows && col < cols) {
        out[row * cols + col] = in[row * cols + col];
    }
}
//! [element]

static void launch_element(float* out, const float* in, int rows, int cols) {
    dim3 block(32, 8);
    dim3 grid(ceil_div(cols, block.x), ceil_div(rows, block.y));
    copy_element<<<grid, block>>>(out, in, rows, cols);
}

// ---- several elements per thread: 32 x 8 threads copy a tile of 32 x 32 elements ----

//! [kernel]
template <int TILE_DIM, int BLOCK_ROWS>
__global__ void copy_tile(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    int row = blockIdx.y * TILE_DIM + threadIdx.y;

    float values[TILE_DIM / BLOCK_ROWS];
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        // Tiles on the right and bottom edges may extend beyond the matrix.
        if (row + k < rows && col < cols) {
            values[k / BLOCK_ROWS] = in[(row + k) * cols + col];
        }
    }

    // All loads are in flight before the first store needs its value.
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row + k < rows && col < cols) {
            out[(row + k) * cols + col] = values[k / BLOCK_ROWS];
        }
    }
}
//! [kernel]

static void launch_tile(float* out, const float* in, int rows, int cols) {
    dim3 block(32, 8);
    dim3 grid(ceil_div(cols, 32), ceil_div(rows, 32));
    copy_tile<32, 8><<<grid, block>>>(out, in, rows, cols);
}

// Loads and stores in one loop. The compiler cannot know that `out` and `in` do not overlap, so it
// may not move a load before a store. Each load waits for the previous store.
//! [one_by_one]
template <int TILE_DIM, int BLOCK_ROWS>
__global__ void copy_one_by_one(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    int row = blockIdx.y * TILE_DIM + threadIdx.y;

    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row + k < rows && col < cols) {
            out[(row + k) * cols + col] = in[(row + k) * cols + col];
        }
    }
}
//! [one_by_one]

static void launch_one_by_one(float* out, const float* in, int rows, int cols) {
    dim3 block(32, 8);
    dim3 grid(ceil_div(cols, 32), ceil_div(rows, 32));
    copy_one_by_one<32, 8><<<grid, block>>>(out, in, rows, cols);
}

// Copies through shared memory, as lesson 03 must. A copy gains nothing, so the cost is visible.
//! [shared]
template <int TILE_DIM, int BLOCK_ROWS>
__global__ void copy_shared(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM];

    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    int row = blockIdx.y * TILE_DIM + threadIdx.y;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row + k < rows && col < cols) {
            tile[threadIdx.y + k][threadIdx.x] = in[(row + k) * cols + col];
        }
    }

    __syncthreads();

    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row + k < rows && col < cols) {
            out[(row + k) * cols + col] = tile[threadIdx.y + k][threadIdx.x];
        }
    }
}
//! [shared]

static void launch_shared(float* out, const float* in, int rows, int cols) {
    dim3 block(32, 8);
    dim3 grid(ceil_div(cols, 32), ceil_div(rows, 32));
    copy_shared<32, 8><<<grid, block>>>(out, in, rows, cols);
}

// A copy can treat the matrix as one long row. Each thread moves 16 bytes of it.
//! [float4]
__global__ void copy_float4(float* out, const float* in, int rows, int cols) {
    int count = rows * cols;
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * 4;

    if (first + 3 < count) {
        *reinterpret_cast<float4*>(out + first) = *reinterpret_cast<const float4*>(in + first);
    } else {
        // The last thread of the grid may have only 1 to 3 elements left.
        for (int i = first; i < count; i++) {
            out[i] = in[i];
        }
    }
}
//! [float4]

static void launch_float4(float* out, const float* in, int rows, int cols) {
    copy_float4<<<ceil_div(rows * cols, 256 * 4), 256>>>(out, in, rows, cols);
}

static size_t bytes(int rows, int cols) {
    return sizeof(float) * rows * cols;
}

static void device_to_device(float* out, const float* in, int rows, int cols) {
    cudaMemcpyAsync(out, in, bytes(rows, cols), cudaMemcpyDeviceToDevice);
}

static void host_to_device(float* out, const float* in, int rows, int cols) {
    cudaMemcpyAsync(out, in, bytes(rows, cols), cudaMemcpyHostToDevice);
}

static void device_to_host(float* out, const float* in, int rows, int cols) {
    cudaMemcpyAsync(out, in, bytes(rows, cols), cudaMemcpyDeviceToHost);
}

// Transposes on the CPU, in tiles of 32 x 32 floats that fit into its L1 cache.
//! [cpu]
constexpr size_t CPU_TILE = 32;

// Writes rows `first` to `last` (exclusive) of `out`, which are columns of `in`.
static void transpose_columns(float* out, const float* in, size_t rows, size_t cols, size_t first,
                              size_t last) {
    for (size_t col0 = first; col0 < last; col0 += CPU_TILE) {
        for (size_t row0 = 0; row0 < rows; row0 += CPU_TILE) {
            for (size_t col = col0; col < std::min(col0 + CPU_TILE, last); col++) {
                for (size_t row = row0; row < std::min(row0 + CPU_TILE, rows); row++) {
                    out[col * rows + row] = in[row * cols + col];
                }
            }
        }
    }
}

static void cpu_serial(float* out, const float* in, int rows, int cols) {
    transpose_columns(out, in, rows, cols, 0, cols);
}

// Each thread writes its own band of rows of `out`. The height of a band is a multiple of CPU_TILE.
static void cpu_parallel(float* out, const float* in, int rows, int cols) {
    size_t threads = std::max(1u, std::thread::hardware_concurrency());
    size_t tiles = ceil_div(cols, CPU_TILE);
    size_t band = ceil_div(tiles, threads) * CPU_TILE;

    std::vector<std::jthread> workers;
    for (size_t first = 0; first < size_t(cols); first += band) {
        size_t last = std::min<size_t>(first + band, cols);
        workers.emplace_back(transpose_columns, out, in, rows, cols, first, last);
    }
}
//! [cpu]

int main(int argc, char** argv) {
    constexpr Produces copy = {Produces::copy};
    // clang-format off
    return run_step(argc, argv, {
        {.name = "element", .about = "one element per thread, with the blocks of 02_naive",
         .launch = launch_element, .produces = copy},
        {.name = "copy", .about = "a 32 x 32 tile per block, 4 elements per thread",
         .launch = launch_tile, .produces = copy},
        {.name = "one_by_one", .about = "the same in one loop, so that each load waits for a store",
         .launch = launch_one_by_one, .produces = copy},
        {.name = "shared", .about = "through a tile in shared memory, with a barrier",
         .launch = launch_shared, .produces = copy},
        {.name = "float4", .about = "16 bytes per thread",
         .launch = launch_float4, .produces = copy},
        {.name = "memcpy", .about = "cudaMemcpyAsync from device to device",
         .launch = device_to_device, .produces = copy},
        {.name = "host_to_device", .about = "cudaMemcpyAsync from page-locked host memory",
         .launch = host_to_device, .produces = copy, .in = Memory::host},
        {.name = "device_to_host", .about = "cudaMemcpyAsync to page-locked host memory",
         .launch = device_to_host, .produces = copy, .out = Memory::host},
        {.name = "cpu_serial", .about = "the transpose on the CPU, by one thread",
         .launch = cpu_serial, .in = Memory::host, .out = Memory::host},
        {.name = "cpu_parallel", .about = "the transpose on the CPU, by all its threads",
         .launch = cpu_parallel, .in = Memory::host, .out = Memory::host},
    });
    // clang-format on
}
