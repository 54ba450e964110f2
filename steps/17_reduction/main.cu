// 17_reduction -- add the elements of each row of a matrix.
//
// Builds on  05_coarsened: coalesced loads, and several of them in flight.
// Idea       The 32 lanes of a warp read neighbours and add them up in registers. Shuffles then
//            combine the 32 sums, without shared memory.
// Watch      A load costs 4 sectors instead of 32. The output is tiny, so the ceiling is no longer
//            a copy, but a kernel that only reads (`read`).
// Next       18_product uses each element many times, so that memory stops being the limit.

#include "harness/harness.h"

constexpr int WARPS = 8, BLOCK = 256;

//! [kernel]
__global__ void row_sums(float* out, const float* in, int rows, int cols) {
    int row = blockIdx.x * WARPS + threadIdx.y;
    int lane = threadIdx.x;
    if (row >= rows) return;

    // In each iteration, the lanes read 32 neighbouring elements.
    float sum = 0;
    for (int col = lane; col < cols; col += 32) {
        sum += in[row * cols + col];
    }

    // Each step adds the sums of the upper lanes to those of the lower lanes.
    for (int offset = 16; offset > 0; offset /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    }
    if (lane == 0) out[row] = sum;
}
//! [kernel]

static void launch_warps(float* out, const float* in, int rows, int cols) {
    row_sums<<<ceil_div(rows, WARPS), dim3(32, WARPS)>>>(out, in, rows, cols);
}

//! [threads]
__global__ void row_sums_by_threads(float* out, const float* in, int rows, int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;

    float sum = 0;
    for (int col = 0; col < cols; col++) {
        sum += in[row * cols + col];
    }
    out[row] = sum;
}
//! [threads]

static void launch_threads(float* out, const float* in, int rows, int cols) {
    row_sums_by_threads<<<ceil_div(rows, BLOCK), BLOCK>>>(out, in, rows, cols);
}

// A block adds each row. Its threads combine their sums in shared memory, in a tree.
//! [tree]
template <bool IS_STRIDED>
__global__ void row_sums_tree(float* out, const float* in, int, int cols) {
    __shared__ float sums[BLOCK];
    int row = blockIdx.x;

    float sum = 0;
    for (int col = threadIdx.x; col < cols; col += BLOCK) {
        sum += in[row * cols + col];
    }
    sums[threadIdx.x] = sum;

    if (IS_STRIDED) {
#pragma unroll 1  // so that the counters show the loop as it is written
        for (int step = 1; step < BLOCK; step *= 2) {
            __syncthreads();
            int i = 2 * step * threadIdx.x;  // the threads are 2 * step words apart
            if (i < BLOCK) sums[i] += sums[i + step];
        }
    } else {
#pragma unroll 1
        for (int half = BLOCK / 2; half > 0; half /= 2) {
            __syncthreads();
            int i = threadIdx.x;  // the threads are side by side
            if (i < half) sums[i] += sums[i + half];
        }
    }
    if (threadIdx.x == 0) out[row] = sums[0];
}
//! [tree]

template <bool IS_STRIDED>
static void launch_tree(float* out, const float* in, int rows, int cols) {
    row_sums_tree<IS_STRIDED><<<rows, BLOCK>>>(out, in, rows, cols);
}

// Returns the sum of 32 lanes to lane 0.
__device__ float add_lanes(float sum) {
    for (int offset = 16; offset > 0; offset /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    }
    return sum;
}

// A block adds each row. Shuffles combine the lanes of its warps, and shared memory the warps.
//! [block]
__global__ void row_sums_by_blocks(float* out, const float* in, int, int cols) {
    __shared__ float sums[WARPS];
    int row = blockIdx.x;
    int lane = threadIdx.x, warp = threadIdx.y;

    float sum = 0;
    for (int col = warp * 32 + lane; col < cols; col += BLOCK) {
        sum += in[row * cols + col];
    }
    sum = add_lanes(sum);
    if (lane == 0) sums[warp] = sum;

    __syncthreads();

    if (warp == 0) {
        sum = add_lanes(lane < WARPS ? sums[lane] : 0);
        if (lane == 0) out[row] = sum;
    }
}
//! [block]

static void launch_blocks(float* out, const float* in, int rows, int cols) {
    row_sums_by_blocks<<<rows, dim3(32, WARPS)>>>(out, in, rows, cols);
}

// A warp adds each row. Each lane makes LOADS loads before it uses the first value.
//! [in_flight]
template <int LOADS>
__global__ void row_sums_in_flight(float* out, const float* in, int rows, int cols) {
    int row = blockIdx.x * WARPS + threadIdx.y;
    int lane = threadIdx.x;
    if (row >= rows) return;

    float sum = 0;
#pragma unroll 1  // without this line, the compiler adds more loads to an iteration
    for (int first = lane; first < cols; first += 32 * LOADS) {
        float values[LOADS];
        for (int k = 0; k < LOADS; k++) {
            int col = first + 32 * k;
            values[k] = col < cols ? in[row * cols + col] : 0;
        }
        for (int k = 0; k < LOADS; k++) sum += values[k];
    }

    sum = add_lanes(sum);
    if (lane == 0) out[row] = sum;
}
//! [in_flight]

template <int LOADS>
static void launch_in_flight(float* out, const float* in, int rows, int cols) {
    dim3 block(32, WARPS);
    row_sums_in_flight<LOADS><<<ceil_div(rows, WARPS), block>>>(out, in, rows, cols);
}

// Each load reads 16 bytes per lane.
//! [vec4]
template <int LOADS>
__global__ void row_sums_vec4(float* out, const float* in, int rows, int cols) {
    int row = blockIdx.x * WARPS + threadIdx.y;
    int lane = threadIdx.x;
    if (row >= rows) return;
    const float4* quads = reinterpret_cast<const float4*>(in + row * cols);
    int count = cols / 4;

    float sum = 0;
#pragma unroll 1
    for (int first = lane; first < count; first += 32 * LOADS) {
        float4 v[LOADS];  // beyond the end, the last float4 is loaded again, but not added
        for (int k = 0; k < LOADS; k++) v[k] = quads[min(first + 32 * k, count - 1)];
        for (int k = 0; k < LOADS; k++) {
            if (first + 32 * k < count) sum += (v[k].x + v[k].y) + (v[k].z + v[k].w);
        }
    }

    sum = add_lanes(sum);
    if (lane == 0) out[row] = sum;
}
//! [vec4]

template <int LOADS>
static void launch_vec4(float* out, const float* in, int rows, int cols) {
    row_sums_vec4<LOADS><<<ceil_div(rows, WARPS), dim3(32, WARPS)>>>(out, in, rows, cols);
}

// Reads the matrix and writes nothing. A sum of positive numbers is never negative, but the
// compiler does not know that, so it cannot leave out the loads.
//! [read]
__global__ void read_only(float* out, const float* in, int rows, int cols) {
    const float4* quads = reinterpret_cast<const float4*>(in);
    int count = rows * (cols / 4);
    int first = blockIdx.x * BLOCK * 4 + threadIdx.x;

    float4 v[4];
    for (int k = 0; k < 4; k++) v[k] = quads[min(first + k * BLOCK, count - 1)];
    float sum = 0;
    for (int k = 0; k < 4; k++) sum += (v[k].x + v[k].y) + (v[k].z + v[k].w);
    if (sum < 0) out[0] = sum;
}
//! [read]

static void launch_read(float* out, const float* in, int rows, int cols) {
    read_only<<<ceil_div(rows * (cols / 4), BLOCK * 4), BLOCK>>>(out, in, rows, cols);
}

// ---- the expected output ----

static void add_row(const float* in, int, int cols, int row, double* out) {
    *out = 0;
    for (int col = 0; col < cols; col++) *out += in[static_cast<size_t>(row) * cols + col];
}

int main(int argc, char** argv) {
    // One thread that adds 32768 numbers in turn rounds 32767 times, so its error exceeds 1e-5.
    constexpr Produces sums = computed({.row = add_row, .tolerance = 1e-4}), nothing = computed({});
    // clang-format off
    return run_step(argc, argv, {
        {.name = "warps", .about = "one warp per row, combined by shuffles",
         .launch = launch_warps, .produces = sums},
        {.name = "threads", .about = "one thread per row",
         .launch = launch_threads, .produces = sums},
        {.name = "tree", .about = "one block per row, a tree in shared memory",
         .launch = launch_tree<false>, .produces = sums},
        {.name = "tree_strided", .about = "the same tree, with threads far apart",
         .launch = launch_tree<true>, .produces = sums},
        {.name = "blocks", .about = "one block per row, shuffles and shared memory",
         .launch = launch_blocks, .produces = sums},
        {.name = "one_load", .about = "one warp per row, 1 load in flight per lane",
         .launch = launch_in_flight<1>, .produces = sums},
        {.name = "in_flight", .about = "one warp per row, 8 loads in flight per lane",
         .launch = launch_in_flight<8>, .produces = sums},
        {.name = "vec4", .about = "one warp per row, float4, 1 load in flight per lane",
         .launch = launch_vec4<1>, .produces = sums, .cols_multiple = 4},
        {.name = "vec4_x4", .about = "one warp per row, float4, 4 loads in flight per lane",
         .launch = launch_vec4<4>, .produces = sums, .cols_multiple = 4},
        {.name = "read", .about = "reads everything, writes nothing: the ceiling",
         .launch = launch_read, .produces = nothing, .cols_multiple = 4},
    });
    // clang-format on
}
